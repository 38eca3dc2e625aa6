import type { PutTemplate, Template } from '@ops/contracts/resources/alert-plan';
import { type Db, oneRow, rows, type Trx } from '@ops/service-kit/database';

export type TemplateKey = Pick<Template, 'rung' | 'channel' | 'locale'>;

/** There are a few for each rung and language. */
export async function allTemplates(db: Db | Trx): Promise<Template[]> {
  const templates = await rows<Row>(
    db,
    `SELECT rung, channel, locale, subject, body, several_subject, several_body, version, updated_at, updated_by FROM templates
     ORDER BY array_position(ARRAY['90', '60', '30', '14', '7', 'OVERDUE'], rung), channel, locale`,
  );
  return templates.map(toTemplate);
}

type Row = Omit<Template, 'updated_at' | 'several'> & {
  updated_at: Date;
  several_subject: string | null;
  several_body: string | null;
};

const toTemplate = ({ several_subject: subject, several_body: body, ...row }: Row): Template => ({
  ...row,
  several: body === null ? null : { subject, body },
  updated_at: row.updated_at.toISOString(),
});

export async function lockTemplate(trx: Trx, key: TemplateKey): Promise<Template | undefined> {
  const row = await trx<Row>('templates').where(key).forUpdate().first();
  return row && toTemplate(row);
}

/** Undefined when a twin wrote it first. */
export async function insertTemplate(
  trx: Trx,
  key: TemplateKey,
  { subject, body, several }: PutTemplate,
  updated_by: string,
  updated_at: Date,
): Promise<Template | undefined> {
  const forSeveral = { several_subject: several?.subject ?? null, several_body: several?.body ?? null };
  const row = { ...key, subject, body, ...forSeveral, updated_by, updated_at };
  const [inserted] = await trx<Row>('templates')
    .insert(row)
    .onConflict(['rung', 'channel', 'locale'])
    .ignore()
    .returning('*');
  return inserted && toTemplate(inserted);
}

export async function updateTemplate(
  trx: Trx,
  key: TemplateKey,
  { subject, body, several }: PutTemplate,
  updated_by: string,
  updated_at: Date,
): Promise<Template> {
  const row = await oneRow<Row>(
    trx,
    `UPDATE templates SET subject = :subject, body = :body, updated_by = :updated_by, updated_at = :updated_at,
            several_subject = CASE WHEN CAST(:several_body AS text) IS NULL THEN several_subject ELSE :several_subject END,
            several_body = coalesce(:several_body, several_body), version = version + 1
     WHERE rung = :rung AND channel = :channel AND locale = :locale RETURNING *`,
    {
      ...key,
      subject,
      body,
      several_subject: several?.subject ?? null,
      several_body: several?.body ?? null,
      updated_by,
      updated_at,
    },
  );
  return toTemplate(row);
}
