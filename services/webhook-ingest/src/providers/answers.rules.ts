import { type Content, fileAt } from './human-form.rules.ts';
import { type Fields, fields, jsonText, text } from './untrusted.rules.ts';

/** Deeper than any form is made, and far from where recursion ends. */
const mostDepth = 8;

interface Found {
  lines: string[];
  parts: Content['parts'];
  isTooDeep: boolean;
}

/**
 * The answers of a form somebody filled in: a line for each, named as its maker named it, and the files among them. What is
 * no such JSON, or nested too deep, is shown as it came.
 */
export function answersOf(given: string): Content {
  const found: Found = { lines: [], parts: [], isTooDeep: false };
  const value = jsonText(given);
  if (value === undefined) return { body: given, parts: [] };
  collect(value, [], 0, found);
  return found.isTooDeep ? { body: given, parts: [] } : { body: found.lines.join('\n'), parts: found.parts };
}

function collect(value: unknown, path: readonly string[], depth: number, found: Found): void {
  if (depth > mostDepth) found.isTooDeep = true;
  if (found.isTooDeep) return;
  const short = shortOf(value, found);
  if (short !== undefined) addLine(path, short, found);
  else if (Array.isArray(value)) collectList(value, path, depth, found);
  else
    for (const [name, answer] of Object.entries(fields(value)))
      if (name !== 'flow_token') collect(unwrapped(answer), [...path, labelOf(name)], depth + 1, found);
}

function collectList(list: readonly unknown[], path: readonly string[], depth: number, found: Found): void {
  const shorts = list.map((one) => shortOf(one, found));
  const name = path.at(-1) ?? 'Answer';
  if (shorts.every((one) => one !== undefined)) addLine(path, shorts.filter(Boolean).join(', '), found);
  else
    for (const [n, one] of list.entries()) collect(one, [...path.slice(0, -1), `${name} ${n + 1}`], depth + 1, found);
}

/** What goes on one line; undefined for what has parts of its own. */
function shortOf(value: unknown, found: Found): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object' || value === null) return text(value) ?? '';
  return Array.isArray(value) ? undefined : fileOf(fields(value), found);
}

function fileOf({ id, mime_type, file_name, filename }: Fields, { parts }: Found): string | undefined {
  const [ref, mediaType] = [text(id), text(mime_type)];
  if (ref === undefined || mediaType === undefined) return undefined;
  const name = text(file_name) ?? text(filename);
  if (!parts.some((part) => part.ref === ref)) parts.push(fileAt(ref, mediaType, name));
  return name ?? mediaType;
}

function addLine(path: readonly string[], answer: string, { lines }: Found): void {
  const label = path.join(', ');
  if (answer !== '') lines.push(label === '' ? answer : `${label.charAt(0).toUpperCase()}${label.slice(1)}: ${answer}`);
}

/** A provider may put JSON into a text of its own JSON. */
function unwrapped(answer: unknown): unknown {
  const inner = typeof answer === 'string' && answer.startsWith('{') ? fields(jsonText(answer)) : {};
  return Object.keys(inner).length > 0 ? inner : answer;
}

/** `expiryDate`, `expiry_date` and the `screen_0_Expiry_date_2` of a form builder are all an expiry date. */
function labelOf(name: string): string {
  const [, built = name] = /^screen_\d+_(.+)_\d+$/i.exec(name) ?? [];
  const label = built
    .replaceAll(/([a-z\d])([A-Z])(?=[a-z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return label || 'answer';
}
