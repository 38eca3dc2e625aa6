import { expect, test } from '@jest/globals';
import { mostAttachmentBytes } from '@ops/contracts/resources/communication';
import type { DraftFile, Kind } from './compose.ts';
import { fileObstacle, filesProblem, mostBytes, unfit } from './files.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const file = (size = 10, until = now + 1): DraftFile => ({ id: 'f', name: 'Permit.pdf', size, until });

test('a message takes what the service takes', () => {
  expect(mostBytes).toBe(mostAttachmentBytes);
});

test.each([
  ['EMAIL', false, null],
  ['EMAIL', true, null],
  ['MESSAGING_APP', false, null],
  ['MESSAGING_APP', true, /template takes no file/],
  ['SMS', false, /SMS takes no files/],
  ['INTERNAL_NOTE', false, /note takes no files/],
] as [Kind, boolean, RegExp | null][])('to a %s with its window closed: %s', (kind, isClosed, expected) => {
  const found = fileObstacle(kind, isClosed);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatch(expected);
});

test.each([
  [0, 'is empty'],
  [mostBytes, null],
  [mostBytes + 1, 'is larger than 20 MB, the most that a message takes'],
])('of %i bytes: %s', (size, expected) => {
  expect(unfit({ size })).toBe(expected);
});

test.each([
  ['EMAIL', [], '', null],
  ['SMS', [], '', null],
  ['EMAIL', Array(10).fill(file()), '', null],
  ['EMAIL', Array(11).fill(file()), '', /10 files at most/],
  ['EMAIL', [file(mostBytes), file(1)], '', /larger than 20 MB/],
  ['EMAIL', [file(1, now)], '', /Permit.pdf is not kept any more/],
  ['MESSAGING_APP', [file()], 'a'.repeat(1_024), null],
  ['MESSAGING_APP', [file()], 'a'.repeat(1_025), /1,024 characters at most/],
  ['MESSAGING_APP', [file(), file()], '', /one file/],
  ['SMS', [file()], '', /SMS takes no files/],
] as [Kind, DraftFile[], string, RegExp | null][])('%s with %j', (kind, files, body, expected) => {
  const found = filesProblem(kind, files, { body, isWindowClosed: false, now });
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatch(expected);
});
