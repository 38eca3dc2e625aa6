import { expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { parse } from 'parse5';
import { articleOf, contentsOf, pageBegin, pageEnd, sectionBegin } from './page-writer.ts';

const communications = { service: 'comms-service', kind: 'communications', title: 'What was said' };
const tasks = { service: 'notifier', kind: 'tasks', title: 'Tasks' };
const at = '2026-03-01T12:00:00.000Z';
const customer = { id: 'C-1', name: 'Ada Demo', aliases: ['C-2'] };

const page = (body: string, name = 'Ada Demo') =>
  pageBegin({ ...customer, name }, at) + contentsOf([{ ...tasks, rows: 2 }]) + body + pageEnd;

interface Node {
  nodeName: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
}
const nodesIn = (node: Node): Node[] => [node, ...(node.childNodes ?? []).flatMap(nodesIn)];
const parsed = (html: string) => nodesIn(parse(html) as unknown as Node);

const ours = new Set(
  '#document #documentType #text html head meta title style body h1 h2 p a ul li article strong time dl dt dd details summary bdi'.split(
    ' ',
  ),
);

test('whatever somebody is called or says, it is text: no element and no attribute comes of it', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onclick='x",
      '</p></article><iframe>',
      '&lt;',
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, (said, name) => {
      const attachment = { id: uuidv7(), name, media_type: said, state: 'STORED' };
      const row = {
        occurred_at: said,
        type: said,
        direction: said,
        subject: said,
        body: said,
        attachments: [attachment],
        [name]: said,
      };
      const html = page(
        sectionBegin({ ...tasks, title: said }) +
          articleOf(communications, row) +
          articleOf(tasks, { [said]: { [name]: said } }),
        name,
      );
      for (const { nodeName, attrs = [] } of parsed(html)) {
        expect(ours).toContain(nodeName);
        for (const attribute of attrs) {
          expect(['lang', 'charset', 'http-equiv', 'content', 'class', 'id', 'href']).toContain(attribute.name);
          if (attribute.name === 'href') expect(attribute.value).toMatch(/^(#|manifest\.json$|files\/)/);
        }
      }
    }),
  );
});

test('a note is marked as one, a message says which way it went, and its files are reached', () => {
  const id = uuidv7();
  const note = articleOf(communications, {
    type: 'INTERNAL_NOTE',
    direction: 'INTERNAL',
    body: 'Careful',
    occurred_at: at,
  });
  expect(note).toContain('<article class="note">');
  expect(note).toContain('Internal note');
  const files = [
    { id, name: '../a b#1.pdf', media_type: 'application/pdf', state: 'STORED' },
    { id: uuidv7(), name: 'gone.pdf', media_type: 'application/pdf', state: 'REDACTED' },
  ];
  const mail = articleOf(communications, {
    type: 'EMAIL',
    direction: 'INBOUND',
    subject: 'Hi',
    body: 'Words',
    attachments: files,
  });
  expect(mail).toContain('E-mail, from them');
  expect(mail).toContain(`href="files/${id}/a%20b%231.pdf"`);
  expect(mail).toContain('gone.pdf (redacted)');
});

test('of what is not there nothing is said, and everything that is', () => {
  const article = articleOf(tasks, {
    title: 'Call',
    notes: null,
    labels: [],
    detail: { a: 1 },
    done: false,
    created_at: at,
  });
  expect(article).toContain('<dt>title</dt><dd>Call</dd>');
  expect(article).toContain('<dt>done</dt><dd>false</dd>');
  expect(article).toContain('2026-03-01 12:00:00');
  expect(article).not.toMatch(/notes|labels/);
});
