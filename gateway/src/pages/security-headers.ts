import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** No page asks for any of these. */
const noneOf = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Pages run nothing but scripts of our own origin and sit in nobody's frame. Forms lead to ourselves and, through the
 * redirect of a sign-out, to the identity provider. Put together once for its origin, which is not known from the start: for
 * each request anew it took a tenth of the gateway's time.
 */
export function securityHeaders(publicUrl: URL, identityProviderOrigin: () => string): RequestHandler {
  let made: { origin: string; policies: RequestHandler } | undefined;
  return (req, res, next) => {
    const origin = identityProviderOrigin();
    if (made?.origin !== origin) made = { origin, policies: policiesFor(publicUrl, origin) };
    res.set('Permissions-Policy', noneOf);
    made.policies(req, res, next);
  };
}

function policiesFor(publicUrl: URL, identityProviderOrigin: string): RequestHandler {
  const secure = publicUrl.protocol === 'https:';
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'media-src': ["'self'"],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        // The HTML of an e-mail is shown in a frame, under a stricter policy of its own.
        'frame-src': ["'self'"],
        'form-action': ["'self'", identityProviderOrigin],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
        ...(secure && { 'upgrade-insecure-requests': [] }),
      },
    },
    strictTransportSecurity: secure && { maxAge: 31_536_000, includeSubDomains: false },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
}
