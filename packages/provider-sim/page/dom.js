export const $ = (selector, within = document) => within.querySelector(selector);

/** An element. Text goes in as text: nothing anybody wrote is ever read as HTML. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

const time = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat([], { weekday: 'short', day: 'numeric', month: 'short' });
export const clock = (at) => time.format(new Date(at));
export const date = (at) => day.format(new Date(at));
export const when = (at) => (date(at) === date(Date.now()) ? clock(at) : date(at));

/** Runs what a form asks for; says what went wrong below it. */
export async function attempt(form, work) {
  const problem = $('.problem', form);
  problem.hidden = true;
  try {
    await work();
    return true;
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    return false;
  }
}

export const filesOf = (files) =>
  files.map((file) =>
    /^image\/(png|jpeg|gif|webp)$/.test(file.media_type)
      ? h(
          'a',
          { href: `/sim/files/${file.id}`, target: '_blank', class: 'photo' },
          h('img', { src: `/sim/files/${file.id}`, alt: file.name }),
        )
      : h(
          'a',
          { href: `/sim/files/${file.id}`, class: 'file', download: file.name },
          h('span', { class: 'name' }, file.name),
          h('small', {}, ` ${Math.max(1, Math.round(file.size / 1024))} KB`),
        ),
  );

/** What hangs on a composer: a message it answers or changes, and a file. */
export function createContext(form) {
  const line = $('.context', form);
  const input = $('input[type=file]', form);
  const context = { answers: undefined, changes: undefined, file: undefined, text: '', set, clear: () => set({}) };
  function set({ answers, changes, file = changes ? undefined : context.file, text = '' }) {
    Object.assign(context, { answers, changes, file, text });
    const about = [changes ? 'Changing' : answers ? 'Answering' : '', text].filter((part) => part !== '').join(': ');
    $('span', line).textContent = [about, file ? `with ${file.name}` : ''].filter((part) => part !== '').join(' · ');
    line.hidden = !(answers || changes || file);
  }
  $('button', line).addEventListener('click', () => {
    context.file = undefined;
    context.clear();
  });
  input.addEventListener('change', () => {
    set({ ...context, file: input.files[0] });
    input.value = '';
    $('textarea', form).focus();
  });
  return context;
}
