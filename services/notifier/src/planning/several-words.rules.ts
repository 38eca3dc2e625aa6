import type { Template } from '@ops/contracts/resources/alert-plan';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { longDate, longest, onOneLine, subjectProblems, type Words } from './words.rules.ts';

/** A renewal as a message names it. */
export interface Named {
  service: string;
  /** Of its policy or permit. */
  number: string | null;
  due_date: string;
  /** Until the date, or since it. */
  days: number;
  overdue: boolean;
}

export interface Several {
  name: string;
  /** The most urgent first. */
  renewals: readonly Named[];
}

/** The words of a template for several renewals, if it has any. */
export const forSeveral = (template: Template): (Words & Pick<Template, 'locale'>)[] =>
  template.several ? [{ ...template.several, locale: template.locale }] : [];

/** Names as many as fit into one message of that channel, and says how many more there are. */
export function renderSeveral(words: Words, given: Several, locale: string, channel: OutsideType): Words {
  const most = longest[channel] ?? Number.POSITIVE_INFINITY;
  const renewals = given.renewals.map((one) => valuesOfOne(one, locale));
  const subject = words.subject === null ? null : fill(words.subject, valuesOf(given, renewals, renewals.length));
  const bodyOf = (count: number) => fill(words.body, valuesOf(given, renewals, count));
  let count = given.renewals.length;
  while (count > 1 && bodyOf(count).length > most) count -= 1;
  return { subject, body: bodyOf(count) };
}

type Value = string | null | readonly Values[];
interface Values {
  [name: string]: Value;
}

const mostServices = 3;

function valuesOf({ name, renewals }: Several, all: readonly Values[], count: number): Values {
  const services = [...new Set(renewals.map(({ service }) => onOneLine(service)))];
  const more = all.length - count;
  return {
    name: onOneLine(name),
    services: services.slice(0, mostServices).join(', ') + (services.length > mostServices ? ', …' : ''),
    more: more === 0 ? null : String(more),
    renewals: all.slice(0, count),
  };
}

const valuesOfOne = ({ service, number, due_date, days, overdue }: Named, locale: string): Values => ({
  service: onOneLine(service),
  number: number === null ? null : onOneLine(number),
  due_date: longDate(due_date, locale),
  days: String(Math.abs(days)),
  overdue: overdue ? 'yes' : null,
});

const section = /\{\{([#^])\s*(\w+)\s*\}\}([\s\S]*?)\{\{\/\s*\2\s*\}\}/g;
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** `{{#name}}…{{/name}}` for each of a list, or if there is one; `{{^name}}…{{/name}}` if there is none. What is filled in is text. */
function fill(text: string, values: Values): string {
  let filled = '';
  let last = 0;
  for (const { 0: all, 1: sign, 2: name = '', 3: inner = '', index } of text.matchAll(section)) {
    filled += fillIn(text.slice(last, index), values) + fillSection(sign === '#', inner, values[name] ?? null, values);
    last = index + all.length;
  }
  return filled + fillIn(text.slice(last), values);
}

function fillSection(wanted: boolean, inner: string, value: Value, values: Values): string {
  if (value === null || value.length === 0) return wanted ? '' : fill(inner, values);
  if (!wanted) return '';
  return typeof value === 'string'
    ? fill(inner, values)
    : value.map((one) => fill(inner, { ...values, ...one })).join('');
}

const fillIn = (text: string, values: Values): string =>
  text.replace(placeholder, (_, name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : '';
  });

const outside = ['name', 'services', 'more', 'renewals'];
const inside = ['service', 'number', 'due_date', 'days', 'overdue'];
const tag = /\{\{([#^/]?)([^{}]*)\}\}/g;

/** What is wrong with words for several renewals, each field by its name. */
export function problemsOfSeveral(words: Words, channel: OutsideType): { path: string; message: string }[] {
  const inSubject = words.subject === null ? [] : tagProblems(words.subject);
  const inBody = tagProblems(words.body);
  const found = [
    ...[...subjectProblems(words, channel), ...inSubject].map((message) => ({ path: 'subject', message })),
    ...inBody.map((message) => ({ path: 'body', message })),
  ];
  if (found.length > 0) return found;
  if (!/\{\{#\s*renewals\s*\}\}/.test(words.body))
    return [{ path: 'body', message: 'names no renewal: {{#renewals}}…{{/renewals}} holds the words for each' }];
  return lengthProblems(words, channel).map((message) => ({ path: 'body', message }));
}

/** Whether each tag is known, where it may stand, and ends what it begins. */
function tagProblems(text: string): string[] {
  const open: string[] = [];
  for (const { 1: sign = '', 2: given = '' } of text.matchAll(tag)) {
    const name = given.trim();
    const shown = `{{${sign}${name.slice(0, 50)}}}`;
    const isKnown = [...outside, ...inside].includes(name);
    if (!isKnown) return [`${shown} is not a variable: there are ${[...outside, ...inside].join(', ')}`];
    if (inside.includes(name) && !open.includes('renewals'))
      return [`${shown} belongs between {{#renewals}} and {{/renewals}}`];
    if (sign === '/' && open.pop() !== name) return [`${shown} ends what was not begun`];
    if (sign === '#' || sign === '^') open.push(name);
  }
  if (open.length > 0) return [`{{#${open.at(-1)}}} is not ended`];
  return /\{\{|\}\}/.test(text.replace(tag, '')) ? ['has braces that enclose no variable'] : [];
}

const longestNamed: Named = {
  service: 's'.repeat(100),
  number: 'n'.repeat(100),
  due_date: '2030-09-30',
  days: 3_650,
  overdue: false,
};

/** Of several that are as long as can be at least one must fit. */
function lengthProblems(words: Words, channel: OutsideType): string[] {
  const most = longest[channel];
  const given = { name: 'n'.repeat(200), renewals: [longestNamed, { ...longestNamed, overdue: true }, longestNamed] };
  const { length } = renderSeveral(words, given, 'en', channel).body;
  return most !== undefined && length > most
    ? [`may become ${length} characters with the longest name and service, and ${most} can be sent`]
    : [];
}
