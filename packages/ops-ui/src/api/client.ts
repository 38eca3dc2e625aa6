import createClient, { type Middleware } from 'openapi-fetch';
import { headersOfWhoIsThere } from './attended.ts';
import { ProblemError } from './problem.ts';
import type { paths } from './schema.gen.ts';

/** The session's token, which every change has to carry. */
let csrfToken: string | null = null;
export const rememberCsrfToken = (token: string | null): void => {
  csrfToken = token;
};

/** `again`: there is a sign-in, and it is too long ago for what was asked for. */
export type SignInWanted = 'ended' | 'again';

/** What to do when somebody has to sign in; the page stays, so that nothing typed is lost. */
let signInWanted = (_why: SignInWanted): void => {};
export const onSignInWanted = (handler: (why: SignInWanted) => void): void => {
  signInWanted = handler;
};
export const endSignIn = (): void => signInWanted('ended');

/** What every change has to carry, where it is asked for without the client. */
export const headersOfChange = (): Record<string, string> => (csrfToken === null ? {} : { 'X-CSRF-Token': csrfToken });

const honest: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== null && request.method !== 'GET') request.headers.set('X-CSRF-Token', csrfToken);
    for (const [name, value] of Object.entries(headersOfWhoIsThere())) request.headers.set(name, value);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return undefined;
    if (response.status === 401 && schemaPath !== '/ops/me') endSignIn();
    const body: unknown = await response.json().catch(() => ({}));
    const problem = new ProblemError(response.status, body as object);
    if (problem.problem.code === 'sign_in_again') signInWanted('again');
    throw problem;
  },
};

export const api = createClient<paths>({ baseUrl: '/' });
api.use(honest);

/** A failure was thrown by then. */
export async function dataOf<T>(answer: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  return (await answer).data as NonNullable<T>;
}

/** False, and whoever is there is told so: nobody is signed in any more. What is refused to a stream says no reason. */
export async function isStillSignedIn(): Promise<boolean> {
  const answer = await fetch('/ops/me', { headers: { 'X-Unattended': '1' } }).catch(() => undefined);
  if (answer?.status !== 401) return true;
  endSignIn();
  return false;
}
