import { beginSpan, endSpan, SpanKind } from '@ops/bus/spans';
import { currentTrace } from '@ops/bus/trace';

const longestText = 2_000;

/**
 * Tells of a statement within the current trace; call what it answers when the statement is over. Of a statement its text
 * is told and never its values; one outside of any trace, as each look for work to do is, is not told of.
 */
export function beginQuery(config: unknown): (error: Error | null) => void {
  const trace = currentTrace.getStore();
  const { text = config } = Object(config) as { text?: unknown };
  if (!trace || typeof text !== 'string') return () => undefined;
  const span = beginSpan(nameOf(text), trace.traceparent, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, longestText) },
  });
  return (error) => endSpan(span, error ?? undefined);
}

/** The name of the span: what the statement does, and to which table first. */
function nameOf(text: string): string {
  const [operation = 'query'] = text.match(/[a-z]+/i) ?? [];
  const [, table] = text.match(/\b(?:from|into|update)\s+"?([a-z_]+)/i) ?? [];
  return [operation.toLowerCase(), table].filter(Boolean).join(' ');
}
