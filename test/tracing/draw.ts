import type { Span } from '@ops/test-kit/trace-collector';

const isStatement = ({ attributes }: Span) => attributes['db.system.name'] !== undefined;

const [serviceWidth, stepWidth] = [17, 58];

/**
 * A trace as a tree, one line a span: who, what, how long, and how many statements it made of the database. Parts stand in
 * the order they began.
 */
export function draw(spans: readonly Span[], from?: string, depth = 0): string[] {
  return partsOf(spans, from).flatMap((span) => {
    const statements = spans.filter((one) => isStatement(one) && one.parentId === span.id);
    const step = `${'  '.repeat(depth)}${span.name}`;
    const sql = statements.length === 0 ? '' : `  ${statements.length} SQL`;
    const line = `${span.service.padEnd(serviceWidth)}${step.padEnd(stepWidth)} ${span.ms.toFixed(1).padStart(7)} ms${sql}`;
    return [line, ...draw(spans, span.id, depth + 1)];
  });
}

/** Of the trace itself, or of one of its spans. */
const partsOf = (spans: readonly Span[], parentId: string | undefined) =>
  spans
    .filter((span) => span.parentId === parentId && !isStatement(span))
    .sort((one, other) => one.startMs - other.startMs);

/** Steps that chance tells apart: the first of an alert's queues to meet it plans for all, and what is asked at one moment goes together. */
const chance: readonly (readonly [RegExp, string])[] = [
  [/notifier:renewal:(messaging|email|task)/, 'notifier:renewal'],
  [/POST (\/internal\/\w+)\/(send-permission|standing)s/, 'GET $1/:id/$2'],
];

/** Each step of a drawing with the one it is a part of, whatever time it took and whatever chance made of it. */
export function stepsOf(drawing: readonly string[]): string[] {
  const above: string[] = [];
  const steps = drawing.map((line) => {
    const [, service = '', indent = '', step = ''] =
      /^(\S+)\s+?((?: {2})*)(\S.*?)\s+[\d.]+ ms/.exec(padded(line)) ?? [];
    const depth = indent.length / 2;
    above.length = depth;
    above[depth] = chance.reduce((told, [one, same]) => told.replace(one, same), `${service} ${step}`);
    return `${above[depth - 1] ?? 'nothing'} > ${above[depth]}`;
  });
  return [...new Set(steps)].sort();
}

const padded = (line: string) => `${line.slice(0, serviceWidth).trim()} ${line.slice(serviceWidth)}`;
