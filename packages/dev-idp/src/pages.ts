import { escapeHtml, htmlPage } from '@ops/service-kit/html';
import { demoPeople } from './people.ts';

const style = `
  :root { color-scheme: light dark; --line: light-dark(#d8dee6, #3a424d); --accent: light-dark(#1f5fbf, #7fb0ff) }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
    font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f3f5f8, #14181d); color: light-dark(#1b2430, #e6eaf0) }
  main { width: 100%; max-width: 26rem; padding: 2rem; border-radius: 14px; border: 1px solid var(--line);
    background: light-dark(#fff, #1c222a) }
  h1 { font-size: 1.3rem; margin: 0 0 .25rem }
  p { margin: 0 0 1.25rem; opacity: .8 }
  button { width: 100%; font: inherit; padding: .7rem 1rem; margin: 0 0 .6rem; border-radius: 9px; cursor: pointer;
    text-align: left; border: 1px solid var(--line); background: transparent; color: inherit }
  button:hover, button:focus-visible { border-color: var(--accent); outline: 2px solid var(--accent); outline-offset: 1px }
  .customer { display: flex; gap: .6rem; align-items: end; border-top: 1px solid var(--line); padding-top: 1rem; margin-top: .6rem }
  .customer label { flex: 1; font-size: .85rem }
  .customer button { width: auto; margin: 0 }
  input { width: 100%; font: inherit; padding: .6rem .7rem; border-radius: 9px; border: 1px solid var(--line);
    background: transparent; color: inherit }
  .problem { color: light-dark(#a3262a, #ff9c9c); opacity: 1 }`;

const page = (title: string, body: string) => htmlPage(title, `<style>${style}</style>`, body);

export function signInPage(uid: string, problem?: string): string {
  const people = demoPeople
    .map((person) => `<button name="person" value="${person.sub}">${escapeHtml(person.name)}</button>`)
    .join('\n');
  const action = `/interaction/${escapeHtml(uid)}`;
  return page(
    'Demo sign-in',
    `<h1>Demo sign-in</h1>
<p>Made-up people for trying things out. Pick who you want to be.</p>
${problem ? `<p class="problem" role="alert">${escapeHtml(problem)}</p>` : ''}
<form method="post" action="${action}">${people}</form>
<form method="post" action="${action}" class="customer">
  <label>Customer id <input name="person" required maxlength="64" value="C-1001" autocomplete="off"></label>
  <button>Sign in</button>
</form>`,
  );
}

/** `form` is the provider's own, with its one-time secret. */
export const signOutPage = (form: string): string =>
  page(
    'Sign out',
    `<h1>Sign out?</h1><p>This ends the demo sign-in of this browser.</p>${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`,
  );

export const signedOutPage = (): string => page('Signed out', '<h1>Signed out</h1><p>You may close this page.</p>');

export const errorPage = (reason: string): string =>
  page('Sign-in failed', `<h1>Sign-in failed</h1><p class="problem" role="alert">${escapeHtml(reason)}</p>`);
