/** What the simulator is asked. A refusal becomes an Error with its sentence. */
async function call(method, path, body, headers = {}) {
  const json = body !== undefined && !(body instanceof Blob);
  const answer = await fetch(path, {
    method,
    headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
    body: json ? JSON.stringify(body) : body,
  });
  const text = await answer.text();
  const parsed = text === '' ? undefined : JSON.parse(text);
  if (!answer.ok) throw new Error(parsed?.detail ?? `refused (${answer.status})`);
  return parsed;
}

const person = (id) => `/sim/people/${encodeURIComponent(id)}`;

export const people = async () => (await call('GET', '/sim/people')).data;
export const add = (given) => call('POST', '/sim/people', given);
export const conversation = (id) => call('GET', person(id));
export const write = (id, letter) => call('POST', `${person(id)}/messages`, letter);
export const look = (id, channel) => call('POST', `${person(id)}/look`, { channel });
export const react = (id, emoji) => call('POST', `/sim/messages/${id}/reaction`, { emoji });
export const change = (id, text) => call('POST', `/sim/messages/${id}/change`, { text });

export const upload = (file) =>
  call('POST', `/sim/files?name=${encodeURIComponent(file.name)}`, file, {
    'content-type': file.type || 'application/octet-stream',
    'x-simulator': 'page',
  });

/** Calls back with the id of whoever something happened to; null after a break, when anything may have. */
export function listen(hear) {
  const stream = new EventSource('/sim/stream');
  stream.onmessage = ({ data }) => hear(JSON.parse(data).person);
  stream.onopen = () => hear(null);
}
