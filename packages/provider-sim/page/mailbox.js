import { $, attempt, clock, createContext, date, filesOf, h, when } from './dom.js';
import * as server from './server.js';

const form = $('#mail-composer');
const context = createContext(form);

/** The mailbox of whoever is on stage: a list, and below it the mail that is open or being written. */
export function createMailbox({ state, act }) {
  $('#compose').addEventListener('click', () => compose());
  $('#discard').addEventListener('click', () => act(async () => clear()));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });

  function compose(answered) {
    clear();
    if (answered) context.set({ answers: answered.id, text: answered.subject || '(no subject)' });
    form.elements.subject.value = answered ? subjectOf(answered) : '';
    form.hidden = false;
    form.elements[answered ? 'text' : 'subject'].focus();
  }
  async function send() {
    const sent = await attempt(form, async () => {
      const { answers, file } = context;
      const files = file ? [await server.upload(file)] : undefined;
      const [subject, text] = [form.elements.subject.value, form.elements.text.value];
      await server.write(state.person.id, { channel: 'EMAIL', subject, text, reply_to: answers, files });
    });
    if (sent) await act(async () => clear());
  }
  const open = (mail) =>
    act(async () => {
      state.mail = state.mail === mail.id ? undefined : mail.id;
      if (state.mail) await server.look(state.person.id, 'EMAIL');
    });
  return { render: () => render(state, open, compose), clear };
}

function clear() {
  form.hidden = true;
  form.elements.subject.value = '';
  form.elements.text.value = '';
  context.file = undefined;
  context.clear();
}

const subjectOf = ({ subject }) => (/^re:/i.test(subject ?? '') ? subject : `Re: ${subject ?? ''}`);

function render({ person, messages, mail }, open, compose) {
  $('#mail-address').textContent = person.email ?? 'has no address here';
  $('#compose').disabled = !person.email;
  const mails = messages.filter(({ channel }) => channel === 'EMAIL').toReversed();
  $('#mails').replaceChildren(...mails.map((one) => line(one, one.id === mail, () => open(one))));
  if (mails.length === 0) $('#mails').append(h('li', { class: 'empty' }, 'No mail.'));
  const shown = mails.find(({ id }) => id === mail);
  const article = $('#mail');
  article.hidden = !shown;
  if (!shown) article.replaceChildren();
  else if (article.dataset.id !== shown.id || article.childElementCount === 0)
    article.replaceChildren(...whole(shown, () => compose(shown)));
  article.dataset.id = shown?.id ?? '';
}

const line = (mail, current, onclick) =>
  h(
    'li',
    {},
    h(
      'button',
      { type: 'button', onclick, 'aria-expanded': String(current), class: mail.from_firm && !mail.seen ? 'new' : '' },
      h('span', { class: 'from' }, mail.from_firm ? 'Demo Office' : 'You'),
      h(
        'span',
        { class: 'subject' },
        mail.subject || '(no subject)',
        mail.files.length > 0 &&
          h('small', {}, ` with ${mail.files.length === 1 ? 'a file' : `${mail.files.length} files`}`),
      ),
      h('time', {}, when(mail.at)),
    ),
  );

const whole = (mail, answer) => [
  h('h3', {}, mail.subject || '(no subject)'),
  h(
    'p',
    { class: 'meta' },
    `${mail.mail?.from ?? ''} → ${mail.mail?.to || 'the office'} · ${date(mail.at)} ${clock(mail.at)}`,
  ),
  mail.html
    ? h('iframe', { src: `/sim/messages/${mail.id}/html`, sandbox: '', title: 'The mail as HTML' })
    : h('pre', {}, mail.text),
  ...filesOf(mail.files),
  mail.from_firm ? h('button', { type: 'button', onclick: answer }, 'Answer') : '',
];
