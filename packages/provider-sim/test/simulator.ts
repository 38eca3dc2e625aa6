import type { FaultSettings } from '../src/faults.ts';
import type { Channel, Message, Person, StoredFile } from '../src/message.ts';
import type { JournalEntry, RequestEntry } from '../src/views.ts';

export type { JournalEntry, RequestEntry };

export interface NewPerson {
  name?: string;
  phone?: string;
  user_id?: string;
  email?: string;
}

export interface NewLetter {
  channel: Channel;
  text?: string;
  subject?: string;
  /** The id of the message it answers. */
  reply_to?: string;
  files?: StoredFile[];
  at?: string;
}

/** The world outside as a test moves it: through the routes the page uses. */
export interface Simulator {
  url: string;
  person(given: NewPerson): Promise<Person>;
  /** Everything on this person's phone and in the mailbox, oldest first. */
  messages(personId: string): Promise<Message[]>;
  write(personId: string, letter: NewLetter): Promise<Message>;
  file(name: string, mediaType: string, bytes: Uint8Array): Promise<StoredFile>;
  react(messageId: string, emoji: string | null): Promise<void>;
  change(messageId: string, text: string | null): Promise<void>;
  /** The person looks at the conversation: read receipts go out. */
  look(personId: string, channel: Channel): Promise<void>;
  /** Nothing given: everything goes well again. */
  faults(settings?: Partial<FaultSettings>): Promise<void>;
  /** Every message the firm sent and a provider took. */
  journal(): Promise<JournalEntry[]>;
  /** Every request to send that a provider could read, taken or not, in that order. */
  requests(): Promise<RequestEntry[]>;
  /** Webhooks the firm has not taken yet. */
  webhooksWaiting(): Promise<number>;
}

export function createSimulator(url: string): Simulator {
  const get = async <T>(path: string) => call<T>(url, 'GET', path);
  const post = async <T>(path: string, body: unknown) => call<T>(url, 'POST', path, body);
  const ofPerson = (id: string) => `/sim/people/${encodeURIComponent(id)}`;
  return {
    url,
    person: (given) => post('/sim/people', given),
    messages: async (id) => (await get<{ messages: Message[] }>(ofPerson(id))).messages,
    write: (id, letter) => post(`${ofPerson(id)}/messages`, letter),
    file: (name, mediaType, bytes) => upload(url, name, mediaType, bytes),
    react: (id, emoji) => post(`/sim/messages/${id}/reaction`, { emoji }),
    change: (id, text) => post(`/sim/messages/${id}/change`, { text }),
    look: (id, channel) => post(`${ofPerson(id)}/look`, { channel }),
    faults: async (settings = {}) => void (await post('/sim/faults', settings)),
    journal: async () => (await get<{ data: JournalEntry[] }>('/sim/journal')).data,
    requests: async () => (await get<{ data: RequestEntry[] }>('/sim/requests')).data,
    webhooksWaiting: async () => (await get<{ webhooks_waiting: number }>('/sim/journal')).webhooks_waiting,
  };
}

async function call<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return read(response, path);
}

async function upload(url: string, name: string, mediaType: string, bytes: Uint8Array): Promise<StoredFile> {
  const path = `/sim/files?name=${encodeURIComponent(name)}`;
  const headers = { 'content-type': mediaType, 'x-simulator': 'test' };
  return read(await fetch(url + path, { method: 'POST', headers, body: new Uint8Array(bytes) }), path);
}

async function read<T>(response: Response, path: string): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`the simulator answered ${response.status} to ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
