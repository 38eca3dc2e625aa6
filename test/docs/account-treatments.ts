import { expect } from '@jest/globals';
import { events } from '@ops/contracts/events';
import { compose } from '../images/compose.ts';
import { composeReadsTheFile, type Treatment } from './treatment.ts';

const integrating = 'docs/integrating.md';
const needsDocker = 'it needs the RabbitMQ of docker compose; accounts.test.ts runs those of rabbitmqctl on another';
const upstreamTypes = Object.entries(events).flatMap(([type, { publisher }]) =>
  publisher === 'upstream' ? [type] : [],
);

/** The patterns in single quotes: what may be declared, written and read, or which routing keys. */
const patterns = (command: string) =>
  [...command.matchAll(/'([^']*)'/g)].map(([, pattern = '']) => new RegExp(pattern));
const allowed = (pattern: RegExp | undefined, names: readonly string[]) => names.filter((name) => pattern?.test(name));

/** At the broker of docker compose. */
export const accounts: Treatment[] = [
  { of: [integrating, 'docker compose up --detach'], notRun: needsDocker, check: composeReadsTheFile },
  ...['policies', 'accounting'].map(
    (user): Treatment => ({
      of: [integrating, `docker compose exec rabbitmq rabbitmqctl add_user ${user}`],
      notRun: needsDocker,
      check: async () => expect(compose.services.rabbitmq?.image).toContain('rabbitmq:'),
    }),
  ),
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_permissions policies'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, ['ops.events', 'ops.dead', 'q']))).toEqual([
        [],
        ['ops.events'],
        [],
      ]),
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_topic_permissions policies ops.events'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, Object.keys(events)))).toEqual([upstreamTypes, []]),
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_permissions accounting'],
    notRun: needsDocker,
    check: async (_, command) => {
      const own = ['accounting.renewals'];
      expect(
        patterns(command).map((one) => allowed(one, ['ops.events', ...own, 'renewals-service:upstream:watch'])),
      ).toEqual([own, own, ['ops.events', ...own]]);
    },
  },
  {
    of: [integrating, 'docker compose exec rabbitmq rabbitmqctl set_topic_permissions accounting ops.events'],
    notRun: needsDocker,
    check: async (_, command) =>
      expect(patterns(command).map((one) => allowed(one, Object.keys(events)))).toEqual([
        [],
        ['RENEWAL_TRIGGERED', 'RENEWAL_COMPLETED'],
      ]),
  },
];
