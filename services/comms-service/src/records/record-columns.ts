/** The files of `c`; its HTML version is not one of them. */
export const ATTACHMENTS = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type,
                     'size', a.size, 'content_id', a.content_id, 'state', a.state, 'failure', a.failure)
                   ORDER BY a.position, a.id), '[]')
     FROM attachments a WHERE a.communication_id = c.id AND a.role <> 'html') AS attachments`;

/** What this record is about, the most urgent first. The version before sets the first alone. */
export const renewalsOf = (record: string): string =>
  `CASE WHEN ${record}.renewal_id IS NULL THEN '{}' ELSE ${record}.renewal_id || ${record}.other_renewal_ids END`;

/** Asked record by record: as an EXISTS, a page of a long log would read the files of all customers. */
const HAS_HTML = `coalesce(
  (SELECT true FROM attachments h WHERE h.communication_id = c.id AND h.role = 'html' AND h.state = 'STORED' LIMIT 1),
  false)`;

/**
 * When a record came into the log it is in, which is the order of what somebody has seen of it: one that comes late may be
 * older than what they saw.
 */
export const cameAt = (record: string): string =>
  `greatest(${record}.created_at, ${record}.filed_at, ${record}.logged_at)`;

/** Whom the record came from, by the one address that an answer goes to. */
const SENDER = `CASE WHEN c.direction = 'INBOUND' THEN coalesce(
  CASE WHEN c.type = 'EMAIL' THEN c.sender ->> 'email' ELSE c.sender ->> 'phone' END, c.sender ->> 'user_id') END`;

/** Instants leave the database as text, to the microsecond they are ordered by. */
export const COLUMNS = `
  c.id, c.customer_id, c.type, c.direction, c.subject, c.body, c.quoted, c.unread, c.status, c.author, c.mentions, c.in_reply_to,
  c.renewal_id, ${renewalsOf('c')} AS renewal_ids, c.reactions, c.amendments, c.contacts, c.place, c.provider, c.provider_message_id, c.failure, c.attempt, c.automated,
  c.automatic, ${SENDER} AS sender, c.recipient, c.reply_to, c.sender_verified, c.phone_app, c.imported, c.forwarded, c.group_id AS "group",
  c.template, c.struck, utc_text(c.send_after) AS send_after, c.send_after_reason,
  utc_text(c.occurred_at) AS occurred_at, utc_text(c.claimed_at) AS claimed_at,
  utc_text(c.received_at) AS received_at, utc_text(c.created_at) AS created_at,
  utc_text(nullif(${cameAt('c')}, c.created_at)) AS filed_at, utc_text(c.redacted_at) AS redacted_at,
  c.settled, ${HAS_HTML} AS has_html, ${ATTACHMENTS}`;

/** All that `communication.changed` says of a record `c`. */
export const TOLD_COLUMNS = `
  c.id, c.customer_id, c.type, c.direction, c.status, c.renewal_id, ${renewalsOf('c')} AS renewal_ids, c.in_reply_to, c.automatic,
  utc_text(c.occurred_at) AS occurred_at`;
