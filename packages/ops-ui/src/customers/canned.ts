/** What stands in for the fields of a reply; null: nobody knows. */
export interface CannedFacts {
  customer_name: string;
  agent_name: string;
  next_service: string | null;
  next_due_date: string | null;
}

/** What the fields are called, for who writes a reply. */
export const cannedFields: Record<keyof CannedFacts, string> = {
  customer_name: 'the customer’s name',
  agent_name: 'your name',
  next_service: 'what is due next',
  next_due_date: 'when it is due',
};

const field = /\{\{\s*([a-z_]+)\s*\}\}/g;

/** The words as they would be sent. What is not known stays a gap that somebody sees. */
export const filledIn = (words: string, facts: CannedFacts): string =>
  words.replace(field, (whole, name: string) =>
    Object.hasOwn(facts, name) ? (facts[name as keyof CannedFacts] ?? '___') : whole,
  );

export const hasGap = (words: string): boolean => words.includes('___');

/** What asks for a reply in a message, and for a colleague in a note. */
export type Sign = '/' | '@';

/** With them in place of the sign that asked for them, or where the cursor stands. */
export function inserted(body: string, at: number, words: string, sign: Sign): string {
  const start = body[at - 1] === sign ? at - 1 : at;
  return body.slice(0, start) + words + body.slice(at);
}

/** A sign asks where no word goes on: at the beginning, or after a blank or a bracket. */
export const asksFor = (sign: Sign, before: string, now: string, at: number): boolean =>
  now.length === before.length + 1 && now[at - 1] === sign && /^[\s([]?$/.test(now[at - 2] ?? '');
