import { useState } from 'react';
import type { Renewal } from '../api/types.ts';
import { whoAmI } from '../session/session.ts';

const fields = ['due_date', 'policy_id', 'notes'] as const;
export type Field = (typeof fields)[number];
export type Values = Record<Field, string>;

/** What is being typed, and what stood there when it was begun. */
export interface Draft {
  typed: Partial<Values>;
  begun: Partial<Values>;
}

const nothing: Draft = { typed: {}, begun: {} };

export const storedIn = ({ due_date, policy_id, notes }: Renewal): Values => ({
  due_date,
  policy_id: policy_id ?? '',
  notes: notes ?? '',
});

/** What is typed and differs from what is stored. */
export const changedIn = ({ typed }: Draft, stored: Values): Field[] =>
  fields.filter((name) => typed[name] !== undefined && typed[name] !== stored[name]);

/** Of what is typed, what somebody else changed since: saving would overwrite words nobody here has read. */
export const overtaken = (draft: Draft, stored: Values): Field[] =>
  changedIn(draft, stored).filter((name) => draft.begun[name] !== stored[name]);

export function write({ typed, begun }: Draft, stored: Values, name: Field, value: string): Draft {
  return { typed: { ...typed, [name]: value }, begun: { [name]: stored[name], ...begun } };
}

/** Somebody has read what stands there now, and means what they typed. */
export const begunAnew = ({ typed }: Draft, stored: Values): Draft => ({ typed, begun: { ...stored } });

/** What was typed since this was sent, beside what stands there now. */
export const typedSince = ({ typed }: Draft, sent: Draft, stored: Values): Draft =>
  fields
    .filter((name) => typed[name] !== undefined && typed[name] !== sent.typed[name])
    .reduce((left, name) => write(left, stored, name, typed[name] as string), nothing);

/** It outlasts another renewal in the drawer and a reload of the page, until it is saved or thrown away. */
export function useRenewalDraft(id: string) {
  const place = `renewal-draft:${whoAmI()}:${id}`;
  const read = (): Draft => JSON.parse(sessionStorage.getItem(place) ?? 'null') ?? nothing;
  const [draft, setDraft] = useState(read);
  const keep = (next: Draft) => {
    sessionStorage.setItem(place, JSON.stringify(next));
    setDraft(next);
  };
  const discard = () => {
    sessionStorage.removeItem(place);
    setDraft(nothing);
  };
  /** `sent` is saved, and `after` stands there now. */
  const saved = (sent: Draft, after: Renewal) => {
    const left = typedSince(read(), sent, storedIn(after));
    if (left === nothing) discard();
    else keep(left);
  };
  return { draft, keep, discard, saved };
}
