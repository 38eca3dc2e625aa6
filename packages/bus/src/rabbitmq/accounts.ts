import { createHash } from 'node:crypto';
import { eventRoutes, liveEventTypes, publishers } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';
import { namesIn } from './names.ts';

/** The processes with an account of their own at the broker, each named like its process. */
export const brokerAccounts = ['gateway', ...serviceNames] as const;
export type BrokerAccount = (typeof brokerAccounts)[number];

export interface Rights {
  configure: string;
  write: string;
  read: string;
  topics: { exchange: string; write: string; read: string }[];
}

/**
 * What a process may do, as regular expressions of the broker. Nobody may write to the default exchange, which knows no
 * topics and reaches every queue, nor make or remove what all share.
 */
export function rightsOf(account: BrokerAccount, namespace: string): Rights {
  const { events, dead, queue, live } = namesIn(namespace, account);
  const own = `${literal(queue(account))}:.*`;
  const doctor = `${literal(queue('doctor'))}:.*`;
  if (account === 'gateway')
    return {
      configure: only(own, doctor, liveQueue),
      write: only(own, doctor, liveQueue),
      read: only(own, doctor, liveQueue, literal(events)),
      topics: [{ exchange: events, write: only(), read: onlyThese([...liveEventTypes, ...liveEventTypes.map(live)]) }],
    };
  const told = publishers.filter(([, service]) => service === account).map(([type]) => type);
  const shown = liveEventTypes.filter((type) => told.includes(type));
  const heard = eventRoutes.filter((route) => route.queue.startsWith(`${account}:`)).map(({ type }) => type);
  // Who tells makes sure that those who must hear are bound, and to bind a queue is to write to it.
  const takers = eventRoutes.filter(({ type }) => told.includes(type)).map((route) => literal(queue(route.queue)));
  return {
    configure: only(own, doctor),
    write: only(own, doctor, literal(events), literal(dead), ...takers),
    read: only(own, doctor, literal(events), literal(dead)),
    topics: [
      { exchange: events, write: onlyThese([...told, ...shown.map(live)]), read: onlyThese([...told, ...heard]) },
      { exchange: dead, write: only(own), read: only(own) },
    ],
  };
}

/** As the broker names a queue for a client that gives it none. */
const liveQueue = 'amq\\.gen.*';
const literal = (name: string): string => name.replaceAll('.', '\\.');
const only = (...patterns: string[]): string => `^(${[...new Set(patterns)].join('|')})$`;
const onlyThese = (names: readonly string[]): string => only(...names.map(literal));

const durableTopic = { type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} };

/** What `rabbitmqctl import_definitions` and `load_definitions` take: the accounts, their rights, and what all share. */
export function brokerDefinitions(passwords: Record<BrokerAccount, string>, namespace = '', vhost = '/') {
  const { events, dead } = namesIn(namespace, '');
  const rights = brokerAccounts.map((user) => ({ user, vhost, ...rightsOf(user, namespace) }));
  return {
    vhosts: [{ name: vhost }],
    users: brokerAccounts.map((name) => ({
      name,
      password_hash: hashed(name, passwords[name]),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: '',
    })),
    permissions: rights.map(({ topics, ...permission }) => permission),
    topic_permissions: rights.flatMap(({ user, topics }) => topics.map((topic) => ({ user, vhost, ...topic }))),
    exchanges: [events, dead].map((name) => ({ name, vhost, ...durableTopic })),
  };
}

const digest = (...parts: (string | Buffer)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

/**
 * Four bytes of salt, then the digest of salt and password. The salt follows from both, so that the same passwords give
 * the same definitions: whoever compares two sees whether anything changed.
 */
function hashed(name: string, password: string): string {
  const salt = digest(name, '\0', password).subarray(0, 4);
  return Buffer.concat([salt, digest(salt, password)]).toString('base64');
}
