import { malformedRequestsAreRefused } from './malformed-requests.ts';

malformedRequestsAreRefused(Number(process.env.FUZZ_REQUESTS ?? 2_000));
