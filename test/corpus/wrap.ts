const lines = (all: readonly string[]) => all.join('\r\n');

/** A form as browsers and providers post files. */
export const multipart = (fields: Record<string, string>, boundary = 'corpus'): Buffer =>
  Buffer.from(
    lines([
      ...Object.entries(fields).map(([name, value]) =>
        lines([`--${boundary}`, `Content-Disposition: form-data; name="${name}"`, '', value]),
      ),
      `--${boundary}--`,
      '',
    ]),
  );

/** A mail that holds this text and nothing else, to the byte. */
export const plainMail = (id: string, text: Buffer): Buffer =>
  Buffer.from(
    lines([
      `From: Somebody <somebody@example.com>`,
      'To: office@example.com',
      `Message-ID: <${id}@example.com>`,
      'Subject: Re: your message',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      text.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '',
    ]),
  );
