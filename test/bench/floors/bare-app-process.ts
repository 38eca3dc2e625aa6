import { uuidv7 } from '@ops/test-kit/builders';
import express from 'express';
import pg from 'pg';
import type { RecordSamples } from '../samples.ts';
import { listen } from './listening.ts';

/**
 * The least that writes and reads a customer's communications: express, a pool, one prepared statement a request. Nobody is
 * asked who they are, nothing is validated, nothing is told to anybody; what is to be told is written all the same.
 */
const samples: RecordSamples = JSON.parse(process.env.SAMPLES ?? '{}');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** In one statement, which is one transaction, the rows that the system writes. */
const write = {
  name: 'write',
  text: `
    WITH record AS (
      INSERT INTO communications (id, customer_id, type, direction, body, unread, status, created_by,
                                  occurred_at, received_at, created_at)
      VALUES ($1, $2, $3, 'INBOUND', $4, true, 'RECEIVED', 'demo-staff', now(), now(), now())
      RETURNING id, customer_id, type, direction, subject, body, unread, status, occurred_at, received_at, created_at
    ), told AS (
      INSERT INTO outbox (event_id, type, queue, event)
      VALUES ($1, 'COMMUNICATION_RECEIVED', NULL, CAST($5 AS json)), ($1, 'communication.changed', NULL, CAST($6 AS json))
    ), line AS (
      INSERT INTO timeline (event_id, customer_id, type, occurred_at, communication_id, data)
      VALUES ($1, $2, 'COMMUNICATION_RECEIVED', now(), $1, CAST($7 AS jsonb))
    )
    SELECT * FROM record`,
};

/** The rows of a page, and how many are unread, as they stand in the table: nothing is joined or made of them. */
const read = {
  name: 'read',
  text: `
    SELECT id, customer_id, type, direction, subject, body, quoted, unread, status, author, mentions, in_reply_to, renewal_id,
           other_renewal_ids, reactions, amendments, contacts, place, provider, provider_message_id, failure, attempt,
           automated, automatic, recipient, reply_to, sender_verified, phone_app, imported, forwarded, group_id, template,
           struck, send_after, send_after_reason, occurred_at, claimed_at, received_at, created_at, filed_at, redacted_at,
           settled, (SELECT count(*)::int FROM communications WHERE customer_id = $1 AND unread) AS unread_count
    FROM communications WHERE customer_id = $1 ORDER BY occurred_at DESC, id DESC LIMIT $2`,
};

const app = express();
const path = '/ops/customers/:id/communications';

app.post(path, express.json(), async (req, res) => {
  const { type, body } = req.body;
  const { received, changed, timeline } = samples;
  const values = [uuidv7(), req.params.id, type, body, received, changed, timeline];
  const { rows } = await pool.query({ ...write, values });
  res.status(201).json(rows[0]);
});

app.get(path, async (req, res) => {
  const { rows } = await pool.query({ ...read, values: [req.params.id, Number(req.query.limit) + 1] });
  const data = rows.slice(0, -1).map(({ unread_count: _, ...record }) => record);
  res.json({ data, unread_count: rows[0]?.unread_count, next_cursor: rows.at(-1)?.id });
});

listen(app);
