import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetOnBroker } from '@ops/bus/test/broker';
import { testBroker } from '@ops/test-kit/broker';
import { queuesOfServices } from '@ops/test-system/system';
import amqp from 'amqplib';
import { type Command, commandsOf } from './command.ts';
import { readDocument } from './document.ts';
import { type Newcomer, newcomer } from './newcomer.ts';
import { treatments } from './treatments.ts';

/** What a newcomer reads and types, in this order, at one system. */
const documents = ['README.md', 'docs/integrating.md'].map(readDocument);
const story = documents.flatMap(commandsOf);
const treatmentsOf = ({ document, text }: Command) =>
  treatments.filter(({ of: [where, begins] }) => where === document && text.startsWith(begins));
const titled = (command: Command) => ({ title: `line ${command.line}: ${command.text.split('\n')[0]}`, command });

const broker = testBroker();
let reader: Newcomer;
beforeAll(async () => {
  reader = await newcomer(broker, documents);
});
afterAll(async () => {
  await reader?.leave();
  await forgetOnBroker(broker.url, broker.namespace, queuesOfServices);
  await forgetQueue(`${broker.namespace}.accounting.renewals`);
});

/** That of `listen.mjs`, which no service knows. */
async function forgetQueue(name: string): Promise<void> {
  const connection = await amqp.connect(broker.url);
  await (await connection.createChannel()).deleteQueue(name);
  await connection.close();
}

test('each command has one treatment, and each treatment a command', () => {
  expect(story.filter((command) => treatmentsOf(command).length !== 1)).toEqual([]);
  const used = story.flatMap(treatmentsOf);
  expect(treatments.filter((treatment) => !used.includes(treatment))).toEqual([]);
});

describe.each(documents)('$path', (document) => {
  test('has fences of commands, of files for them, of what settings.test.ts looks at, and pictures', () => {
    const other = document.fences.filter(({ language }) => !['sh', 'js', 'yaml', 'mermaid'].includes(language));
    expect(other).toEqual([]);
  });

  test.each(commandsOf(document).map(titled))('$title', async ({ command }) => {
    const [treatment] = treatmentsOf(command);
    if (treatment === undefined) throw new Error('nothing says how it is tried');
    await (treatment.notRun === undefined
      ? treatment.run(command.text, reader)
      : treatment.check(reader, command.text));
  });

  test('each address of the system that it links to answers', async () => {
    for (const { text } of document.links.filter(({ text: link }) => link.startsWith('http://localhost:8080'))) {
      const answer = await fetch(text.replace('http://localhost:8080', reader.url));
      expect([text, answer.status]).toEqual([text, 200]);
      await answer.body?.cancel();
    }
  });
});

test('each address that providers are told to post to is one, and lets in nobody who proves nothing', async () => {
  const codes = documents.flatMap((document) => document.codes.map(({ text }) => text));
  const paths = [
    ...new Set(codes.flatMap((text) => text.match(/(?<=^|ops\.example\.com|<public URL>)\/webhooks\/[\w/-]+/g) ?? [])),
  ];
  expect(paths).toHaveLength(6);
  for (const path of paths)
    expect([path, (await fetch(reader.url + path, { method: 'POST' })).status]).toEqual([path, 401]);
});

test('Ctrl-C stops it all', async () => {
  expect(await reader.stopSystem()).toContain('asked to stop: stopping everything');
  await expect(fetch(reader.url)).rejects.toThrow('fetch failed');
});
