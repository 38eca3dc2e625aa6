import createClient, { type Middleware } from 'openapi-fetch';
import { ProblemError } from './problem.ts';
import type { paths } from './schema.gen.ts';

/** The session's token, which every change has to carry. */
let csrfToken: string | null = null;
export const rememberCsrfToken = (token: string | null): void => {
  csrfToken = token;
};

/** What to do when the sign-in is over; the page stays, so that nothing typed is lost. */
let signInEnded = (): void => {};
export const onSignInEnded = (handler: () => void): void => {
  signInEnded = handler;
};
export const endSignIn = (): void => signInEnded();

/** What every change has to carry, where it is asked for without the client. */
export const headersOfChange = (): Record<string, string> => (csrfToken === null ? {} : { 'X-CSRF-Token': csrfToken });

const honest: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== null && request.method !== 'GET') request.headers.set('X-CSRF-Token', csrfToken);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return undefined;
    if (response.status === 401 && schemaPath !== '/ops/me') signInEnded();
    const body: unknown = await response.json().catch(() => ({}));
    throw new ProblemError(response.status, body as object);
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
  const answer = await fetch('/ops/me').catch(() => undefined);
  if (answer?.status !== 401) return true;
  signInEnded();
  return false;
}
