import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, dataOf, endSignIn, rememberCsrfToken } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Me } from '../api/types.ts';

/** Who was signed in when the page last heard of it. */
let lastKnown: Me | null = null;

export const whoAmI = (): string => lastKnown?.sub ?? '';

/** Null: nobody is signed in. Whose sign-in ended stays who they are, so that what they typed stays where it is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  async queryFn(): Promise<Me | null> {
    try {
      lastKnown = await dataOf(api.GET('/ops/me'));
      rememberCsrfToken(lastKnown.csrf_token);
    } catch (error) {
      if (asProblem(error).status !== 401) throw error;
      if (lastKnown) endSignIn();
    }
    return lastKnown;
  },
});

/** Whoever sees a page of ours is signed in. */
export function useMe(): Me {
  const { data } = useSuspenseQuery(meQuery);
  if (data === null) throw new Error('nobody is signed in');
  return data;
}

/** Back to the page one is on. `again`: asked who one is, though the identity provider remembers. */
export const signInAddress = (again = false): string =>
  `/auth/login?${again ? 'again=1&' : ''}return_to=${encodeURIComponent(location.pathname + location.search)}`;

/** Ends the session here; answers where to go on, which ends it at the identity provider where that is possible. */
export async function signOut({ csrf_token }: Me): Promise<string> {
  const answer = await fetch('/auth/logout', {
    method: 'POST',
    headers: { Accept: 'application/json', 'X-CSRF-Token': csrf_token ?? '' },
  });
  const { redirect_to } = (await answer.json()) as { redirect_to?: string };
  return redirect_to ?? '/';
}
