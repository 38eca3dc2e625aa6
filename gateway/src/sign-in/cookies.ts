import type { CookieOptions, Request, Response } from 'express';

/** One cookie of ours: what a script may never read, and what other sites' requests never carry. */
export interface Cookie {
  read(req: Request): string | undefined;
  write(res: Response, value: string, expires: Date): void;
  clear(res: Response): void;
}

/** Over HTTPS the name takes the `__Host-` prefix, so that no other host of the domain can plant one. */
export function createCookie(name: string, secure: boolean): Cookie {
  const fullName = secure ? `__Host-${name}` : name;
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  return {
    read: (req) => valueNamed(req.headers.cookie ?? '', fullName),
    write: (res, value, expires) => void res.cookie(fullName, value, { ...options, expires, encode: String }),
    clear: (res) => void res.clearCookie(fullName, options),
  };
}

function valueNamed(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
