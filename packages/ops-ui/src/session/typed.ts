import { whoAmI } from './session.ts';

/** How somebody likes the pages says nothing of anybody. */
const looks = ['mantine-color-scheme-value', 'rail-narrow', 'about-customer'];

/** Some of what is typed waits under its author's name: nobody takes away what somebody else has yet to send. */
function isOfAnother(name: string): boolean {
  const me = whoAmI();
  if (name.startsWith('draft ')) return !name.startsWith(`draft ${me} `);
  if (/^(key of )?new /.test(name)) return !name.endsWith(` ${me}`);
  if (!name.startsWith('outgoing ')) return false;
  return (JSON.parse(localStorage.getItem(name) ?? 'null') as { author?: string } | null)?.author !== me;
}

const mine = (): string[] => Object.keys(localStorage).filter((name) => !looks.includes(name) && !isOfAnother(name));

const isTyped = (kept: Storage, name: string): boolean =>
  /^(draft |outgoing |new |task |settings-draft:|renewal-draft:)/.test(name) &&
  !['{}', 'null'].includes(`${kept.getItem(name)}`);

/** In how many places something was typed and neither sent nor saved. */
export const placesTypedIn = (): number =>
  mine().filter((name) => isTyped(localStorage, name)).length +
  Object.keys(sessionStorage).filter((name) => isTyped(sessionStorage, name)).length;

/** Whoever sits down next finds no word of it. */
export function forgetWhatWasTyped(): void {
  for (const name of mine()) localStorage.removeItem(name);
  sessionStorage.clear();
}
