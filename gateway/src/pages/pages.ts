import type { Problem } from '@ops/contracts/problem';
import { escapeHtml, htmlPage } from '@ops/service-kit/html';

const page = (title: string, body: string) => htmlPage(title, '<link rel="stylesheet" href="/site.css">', body);

/**
 * A problem as a page, for a browser that was led here by a sign-in: whoever sits before it would be lost with JSON.
 */
export function problemPage(problem: Problem): string {
  return page(
    problem.title,
    `<h1>${escapeHtml(problem.title)}</h1>
<p>${escapeHtml(problem.detail ?? 'Something is not right.')}</p>
<p><a class="button" href="/auth/login">Sign in again</a> <a href="/">Start page</a></p>
<p class="small">Request ${escapeHtml(problem.request_id)}</p>`,
  );
}
