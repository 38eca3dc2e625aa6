import express, { Router } from 'express';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The page of phones and mailboxes: files as they stand, and nothing from elsewhere. */
export function pageRoutes(folder: string): Router {
  const router = Router();
  router.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    next();
  });
  router.use(express.static(folder, { etag: false, lastModified: false, cacheControl: false }));
  return router;
}
