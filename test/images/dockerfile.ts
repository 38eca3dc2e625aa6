import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Copy {
  /** A stage; undefined: the checkout. */
  from: string | undefined;
  sources: string[];
  target: string;
}

interface Stage {
  name: string;
  from: string;
  instructions: { word: string; rest: string }[];
}

const stages = new Map<string, Stage>();
for (const [word, rest] of instructionsOf(read('Dockerfile'))) {
  const [, from = '', name = ''] = (word === 'FROM' && /^(\S+) AS (\S+)$/.exec(rest)) || [];
  if (word === 'FROM') stages.set(name, { name, from, instructions: [] });
  else [...stages.values()].at(-1)?.instructions.push({ word, rest });
}

function instructionsOf(text: string): [word: string, rest: string][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);
}

export const stageNames = () => [...stages.keys()];
export const baseImages = () => [...stages.values()].map(({ from }) => from).filter((from) => !stages.has(from));

/** Of the stage and of those it is built on, in order. */
export function instructions(stage: string, word: string): string[] {
  const found = stages.get(stage);
  if (!found) return [];
  const own = found.instructions.filter((one) => one.word === word).map(({ rest }) => rest);
  return [...instructions(found.from, word), ...own];
}

export const copies = (stage: string): Copy[] =>
  instructions(stage, 'COPY').map((rest) => {
    const words = rest.split(/\s+/);
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const paths = words.filter((word) => !word.startsWith('--'));
    return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
  });

/** What is in the image at the path it has in the checkout, built in another stage or as it stands. */
export const copied = (stage: string): string[] =>
  copies(stage).flatMap(({ from, sources: [source], target }) =>
    source === (from ? `/app/${target}` : target) ? [target] : [],
  );

/** The file a process starts with. */
export function entryOf(stage: string): string {
  const [node, entry] = JSON.parse(instructions(stage, 'CMD').at(-1) ?? '[]') as string[];
  if (node !== 'node' || !entry) throw new Error(`${stage} starts no file`);
  return entry;
}
