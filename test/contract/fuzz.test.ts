import { malformedRequestsAreRefused } from './malformed-requests.ts';

malformedRequestsAreRefused(400);
