import { ladderHolds } from '../../test/ladder.ts';

ladderHolds([1, 100]);
