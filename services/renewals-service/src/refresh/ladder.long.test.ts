import { ladderHolds } from '../../test/ladder.ts';

ladderHolds([3, 10]);
