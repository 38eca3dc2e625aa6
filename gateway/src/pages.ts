import type { Problem } from '@ops/contracts/problem';
import { escapeHtml, htmlPage } from '@ops/service-kit/html';
import type { Session } from './session.ts';

const page = (title: string, body: string) => htmlPage(title, '<link rel="stylesheet" href="/site.css">', body);

/** Who is signed in, and where to go from here. */
export function landingPage(session: Session | undefined): string {
  return page(
    'Customer communications and renewals',
    `<h1>Customer communications and renewals</h1>
${session ? signedIn(session) : '<p>You are not signed in.</p>\n<p><a class="button" href="/auth/login">Sign in</a></p>'}
<ul>
  <li><a href="/docs">API reference</a></li>
  <li><a href="/openapi.json">OpenAPI document</a></li>
  <li><a href="/asyncapi.json">AsyncAPI document</a>, the events on the bus</li>
</ul>`,
  );
}

function signedIn({ actor, expiresAt, csrf }: Session): string {
  return `<p>Signed in as <strong>${escapeHtml(actor.name ?? actor.sub)}</strong> (${actor.role}), until ${expiresAt.toISOString()}.</p>
<form method="post" action="/auth/logout">
  <input type="hidden" name="csrf_token" value="${csrf}">
  <button class="button">Sign out</button>
</form>`;
}

/** For a browser that was led here by a sign-in and would be lost with JSON. */
export function problemPage(problem: Problem): string {
  return page(
    problem.title,
    `<h1>${escapeHtml(problem.title)}</h1>
<p>${escapeHtml(problem.detail ?? 'Something is not right.')}</p>
<p><a class="button" href="/auth/login">Sign in again</a> <a href="/">Start page</a></p>
<p class="small">Request ${escapeHtml(problem.request_id)}</p>`,
  );
}
