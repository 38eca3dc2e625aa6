// Tried out with a browser's session, a change needs the session's token beside the cookie.
async function withCsrfToken(request) {
  if (['GET', 'HEAD'].includes((request.method ?? 'GET').toUpperCase()) || request.headers.Authorization)
    return request;
  const me = await fetch('/ops/me');
  if (me.ok) request.headers['X-CSRF-Token'] = (await me.json()).csrf_token;
  return request;
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor: withCsrfToken,
});
