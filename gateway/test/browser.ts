/** As much of a browser as a sign-in needs: cookies kept by host, redirects followed one by one, forms sent. */
export interface TestBrowser {
  /** One request, no redirect followed. */
  send(address: string, options?: RequestInit): Promise<Response>;
  /** Follows redirects to the end. */
  visit(address: string, options?: RequestInit): Promise<Response>;
  /** Fills in nothing, presses the button of this name and value on the page at hand. */
  press(page: Response, field: Record<string, string>): Promise<Response>;
  cookies(address: string): Map<string, string>;
  /** Set-Cookie lines as they came, newest last. */
  setCookies: string[];
}

export function createBrowser(): TestBrowser {
  const jars = new Map<string, Map<string, string>>();
  const setCookies: string[] = [];
  const jarOf = (address: string) => {
    const { host } = new URL(address);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const browser: TestBrowser = {
    setCookies,
    cookies: jarOf,
    async send(address, options = {}) {
      const jar = jarOf(address);
      const headers = new Headers({ accept: 'text/html,application/xhtml+xml', ...(options.headers as object) });
      if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
      const response = await fetch(address, { ...options, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) keep(jar, line, setCookies);
      return response;
    },
    async visit(address, options) {
      const response = await browser.send(address, options);
      const location = response.headers.get('location');
      return location === null ? response : browser.visit(new URL(location, address).href);
    },
    async press(page, field) {
      const html = await page.text();
      const form = /<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? '';
      const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)];
      const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
      const address = new URL(form, page.url).href;
      const { origin } = new URL(page.url);
      return browser.visit(address, {
        method: 'POST',
        headers: { origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...fields, ...field }),
      });
    },
  };
  return browser;
}

function keep(jar: Map<string, string>, line: string, all: string[]): void {
  all.push(line);
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
  const expires = attributes.find((attribute) => attribute.toLowerCase().startsWith('expires='))?.slice(8);
  if (value === '' || (expires && Date.parse(expires) <= Date.now())) jar.delete(name);
  else jar.set(name, value);
}
