import { $, attempt, h, when } from './dom.js';
import { createMailbox } from './mailbox.js';
import { createPhone } from './phone.js';
import * as server from './server.js';

/** Who is on stage, and what their phone and mailbox show. */
const state = {
  people: [],
  id: undefined,
  person: undefined,
  messages: [],
  channel: 'MESSAGING_APP',
  mail: undefined,
  unseen: {},
};
const act = async (work) => {
  await work().catch((error) => window.alert(error.message));
  await refresh();
};
const phone = createPhone({ state, act });
const mailbox = createMailbox({ state, act });

window.addEventListener('hashchange', enter);
document.addEventListener('visibilitychange', () => void look());
$('#newcomer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const text = form.elements.address.value.trim();
  const given = text.includes('@')
    ? { email: text }
    : /^[+0-9 ().-]+$/.test(text)
      ? { phone: text }
      : { user_id: text };
  await attempt(form, async () => {
    const { id } = await server.add(given);
    form.reset();
    location.hash = `#/${encodeURIComponent(id)}`;
  });
});

/** The address names whoever is on stage, so that it can be kept and gone back to. */
async function enter() {
  await refreshPeople();
  const id = decodeURIComponent(location.hash.slice(2)) || state.people[0]?.id;
  if (id !== state.id) {
    Object.assign(state, { id, mail: undefined });
    phone.clear();
    mailbox.clear();
  }
  await refresh();
}

/** Answers may overtake each other: only the last question is drawn. */
let questions = 0;
async function refresh() {
  questions += 1;
  const turn = questions;
  const known = state.id === undefined ? undefined : await server.conversation(state.id).catch(() => undefined);
  await refreshPeople();
  if (turn !== questions) return;
  const first = state.person?.id !== known?.person.id;
  Object.assign(state, { person: known?.person, messages: known?.messages ?? [] });
  $('#stage').hidden = !known;
  $('#nobody').hidden = Boolean(known);
  if (!known) return;
  if (first) state.channel = firstChannel(state);
  phone.render();
  mailbox.render();
  if (first) $('#thread').scrollTop = $('#thread').scrollHeight;
  drawPeople();
  await look();
}

/** That of the last message, where there is one. */
const firstChannel = ({ person, messages }) =>
  messages.findLast(({ channel }) => channel !== 'EMAIL')?.channel ??
  (person.phone || person.user_id ? 'MESSAGING_APP' : '');

/** What is on the screen in front of somebody is read. */
async function look() {
  const { person, messages, channel } = state;
  if (!person || document.hidden) return;
  if (messages.some((message) => message.channel === channel && message.from_firm && !message.seen))
    await server.look(person.id, channel);
}

async function refreshPeople() {
  state.people = await server.people();
  state.unseen = state.people.find(({ id }) => id === state.person?.id)?.unseen ?? {};
  drawPeople();
}

function drawPeople() {
  $('#people').replaceChildren(...state.people.map(entry));
}

function entry(person) {
  const fresh = Object.values(person.unseen).reduce((sum, count) => sum + count, 0);
  const addresses = [person.phone, person.email, person.user_id].filter(Boolean);
  return h(
    'li',
    {},
    h(
      'a',
      {
        href: `#/${encodeURIComponent(person.id)}`,
        'aria-current': person.id === state.person?.id ? 'true' : undefined,
      },
      h('span', { class: 'name' }, person.name),
      person.last && h('time', {}, when(person.last.at)),
      h('span', { class: 'preview' }, person.last ? person.last.text : addresses.join(' · ')),
      fresh > 0 && h('span', { class: 'badge', 'aria-label': `${fresh} new` }, String(fresh)),
    ),
  );
}

await enter();
server.listen((id) => void (id === null || id === state.id ? refresh() : refreshPeople()));
