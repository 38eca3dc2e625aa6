/** Goes on with one piece of a body, when it is its turn. */
export type Pace = (goOn: () => void) => void;

/**
 * So many pieces between two looks at everything else: a flood of bodies, each of which waits for its turn unread, leaves
 * room for whoever works here. One that comes slowly has nothing that waits, and holds up nobody.
 */
export function createPace(piecesAtOnce: number): Pace {
  const waiting: (() => void)[] = [];
  const turn = () => {
    for (const goOn of waiting.splice(0, piecesAtOnce)) goOn();
    if (waiting.length > 0) setImmediate(turn);
  };
  return (goOn) => {
    waiting.push(goOn);
    if (waiting.length === 1) setImmediate(turn);
  };
}
