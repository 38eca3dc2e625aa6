/** After what was last heard of people they are taken to be there for so long. */
const aMomentMs = 5_000;

/** Whether people are there, for whom what is done in bulk gives way. */
export function rememberPeople() {
  let met = Number.NEGATIVE_INFINITY;
  return {
    meet() {
      met = performance.now();
    },
    areThere: (): boolean => performance.now() - met < aMomentMs,
  };
}
