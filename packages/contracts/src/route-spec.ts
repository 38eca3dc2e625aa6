import { z } from 'zod';
import type { ProgramPart, Role } from './roles.ts';
import { customerId, recordId } from './text.ts';

/** One route under /ops: who may call it, which process owns it, what goes in and what comes out. */
export interface RouteSpec<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Written as in the specification, `:name` for a parameter. */
  path: `/ops/${string}`;
  /** `named` means the service the path names; `gateway` answers itself. */
  owner: ProcessName | 'named';
  roles: readonly Role[];
  /** Which part of what programs may do it belongs to. */
  part?: ProgramPart;
  summary: string;
  params: Params;
  query: Query;
  /** Absent: no body is read. */
  body?: Body;
  /** What its clients call the JSON they send, where it has a name of its own; `application/json` is taken as well. */
  bodyType?: `application/${string}+json`;
  /** The body may be left out altogether, Content-Type included. */
  bodyOptional?: boolean;
  /** The body is a file, of any media type and up to this size, instead of JSON; of CSV, whose rows read like this one. */
  upload?: { mostBytes: number; row?: z.ZodObject };
  /** Success status and what it carries. A second one where a route may create or find. */
  success: Partial<Record<200 | 201 | 202, Result>>;
  /** `Prefer: respond-async` is answered at once, with 202. */
  async?: true;
  /** With a browser's session only for who signed in a short while ago: what it does cannot be taken back. */
  recentSignIn?: 'always' | 'unless_dry_run';
  /** A page asks for it again and again while something goes on: that says nothing of people at work. */
  isFollowed?: true;
  /** The single resource has an ETag; a change honours If-Match. */
  etag?: boolean;
  /** The answer is not JSON, but this; any, where it is a file. */
  mediaType?: string;
}

export const serviceNames = ['comms-service', 'renewals-service', 'webhook-ingest', 'notifier'] as const;
export type ServiceName = (typeof serviceNames)[number];
/** Those, and the one before them that people and programs talk to. */
export type ProcessName = ServiceName | 'gateway';

export const daily = ['admin', 'staff'] as const;
export const none = z.strictObject({});
export const ofCustomer = z.strictObject({ id: customerId });
export const ofRecord = z.strictObject({ id: recordId });

export const route = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  spec: RouteSpec<P, Q, B, R>,
) => spec;

/** Its type says that the body is a file. */
export const uploadRoute = <P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
  spec: RouteSpec<P, Q, z.ZodType, R> & Required<Pick<RouteSpec, 'upload'>>,
) => spec;
