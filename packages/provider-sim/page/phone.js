import { $, attempt, clock, createContext, date, filesOf, h } from './dom.js';
import * as server from './server.js';

const form = $('#phone-composer');
const thread = $('#thread');
const context = createContext(form);
const emojis = ['👍', '❤️', '😂', '🙏'];
const firm = 'Demo Office';

/** The phone of whoever is on stage. `act` runs what changes something and shows the outcome. */
export function createPhone({ state, act }) {
  for (const tab of $('#tabs').children) tab.addEventListener('click', () => act(() => choose(tab.dataset.channel)));
  $('#tabs').addEventListener('keydown', ({ key }) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
    const other = [...$('#tabs').children].find((tab) => tab.dataset.channel !== state.channel && !tab.disabled);
    other?.focus();
    other?.click();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  form.elements.text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.elements.text.addEventListener('input', sizeToText);

  async function choose(channel) {
    state.channel = channel;
    clear();
  }
  async function send() {
    const text = form.elements.text.value.trim();
    const { answers, changes, file } = context;
    if (text === '' && !file) return;
    await attempt(form, async () => {
      if (changes) return finish(() => server.change(changes, text));
      const files = file ? [await server.upload(file)] : undefined;
      await finish(() => server.write(state.person.id, { channel: state.channel, text, reply_to: answers, files }));
    });
  }
  async function finish(work) {
    await work();
    clear();
    await act(async () => undefined);
    thread.scrollTop = thread.scrollHeight;
    form.elements.text.focus();
  }

  const actions = (message) => ({
    answer: () => {
      context.set({ answers: message.id, text: excerpt(message) });
      form.elements.text.focus();
    },
    edit: () => {
      context.set({ changes: message.id, text: excerpt(message) });
      form.elements.text.value = message.text;
      sizeToText();
      form.elements.text.focus();
    },
    takeBack: () => act(() => server.change(message.id, null)),
    react: (emoji) => act(() => server.react(message.id, emoji)),
  });

  return { render: () => render(state, actions), clear };
}

function clear() {
  form.elements.text.value = '';
  context.file = undefined;
  context.clear();
  sizeToText();
}

function sizeToText() {
  const { text } = form.elements;
  text.rows = Math.min(6, Math.max(1, text.value.split('\n').length));
}

const excerpt = ({ text, files }) => (text || files[0]?.name || '').slice(0, 40);

function render({ person, messages, channel, unseen }, actions) {
  const numbers = [person.phone, person.user_id].filter(Boolean);
  $('#owner').textContent = person.name;
  $('#number').textContent = numbers.length > 0 ? numbers.join(' · ') : 'has no phone here';
  for (const tab of $('#tabs').children) {
    const own = tab.dataset.channel;
    tab.setAttribute('aria-selected', String(own === channel));
    tab.tabIndex = own === channel ? 0 : -1;
    tab.disabled = own === 'SMS' ? !person.phone : numbers.length === 0;
    tab.dataset.new = unseen[own] > 0 && own !== channel ? unseen[own] : '';
  }
  form.inert = numbers.length === 0;
  const atEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 60;
  const shown = messages.filter((message) => message.channel === channel);
  thread.replaceChildren(...withDays(shown, (message) => bubble(message, messages, actions(message))));
  if (shown.length === 0)
    thread.append(h('li', { class: 'empty' }, numbers.length > 0 ? `Write to ${firm}.` : 'Only a mailbox.'));
  if (atEnd) thread.scrollTop = thread.scrollHeight;
}

function withDays(messages, draw) {
  let last = '';
  return messages.flatMap((message) => {
    const now = date(message.at);
    const line = now === last ? [] : [h('li', { class: 'day' }, now)];
    last = now;
    return [...line, draw(message)];
  });
}

function bubble(message, all, actions) {
  const answered = message.reply_to && all.find(({ external_id }) => external_id === message.reply_to);
  return h(
    'li',
    { class: `bubble ${message.from_firm ? 'theirs' : 'own'}${message.withdrawn ? ' withdrawn' : ''}` },
    answered && h('blockquote', {}, answered.from_firm ? firm : 'You', h('span', {}, excerpt(answered))),
    !message.withdrawn && filesOf(message.files),
    h('p', {}, message.withdrawn ? 'You took this message back.' : message.text),
    h('footer', {}, message.edited && !message.withdrawn && 'edited · ', clock(message.at), ' ', state(message)),
    message.reactions.length > 0 && h('div', { class: 'reactions' }, ...message.reactions.map(({ emoji }) => emoji)),
    !message.withdrawn && message.channel === 'MESSAGING_APP' && tools(message, actions),
  );
}

function tools(message, actions) {
  const mine = message.reactions.find(({ by_firm }) => !by_firm)?.emoji;
  const button = (label, title, onclick) => h('button', { type: 'button', title, 'aria-label': title, onclick }, label);
  return h(
    'div',
    { class: 'tools' },
    message.from_firm &&
      emojis.map((emoji) => button(emoji, `React with ${emoji}`, () => actions.react(emoji === mine ? null : emoji))),
    button('↩', 'Answer this', actions.answer),
    !message.from_firm && message.files.length === 0 && button('✎', 'Edit', actions.edit),
    !message.from_firm && button('✕', 'Take back', actions.takeBack),
  );
}

const words = { sent: 'Sent', delivered: 'Delivered', read: 'Read', failed: 'Failed' };

/** Ticks as the office sees them; on what the person wrote, whether the office has it. */
function state({ from_firm, receipts, arrived }) {
  if (!from_firm) return h('span', { class: 'ticks', title: arrived ? 'Arrived' : 'On its way' }, arrived ? '✓' : '…');
  const status = receipts.at(-1)?.status ?? 'sent';
  const ticks = { sent: '✓', delivered: '✓✓', read: '✓✓', failed: '⚠' }[status];
  return h('span', { class: `ticks ${status}`, title: `${words[status]}, as the office sees it` }, ticks);
}
