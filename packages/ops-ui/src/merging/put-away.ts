/** The same of both, from whichever of them one sees it; for the visit. */
const place = (one: string, other: string) => `not the same: ${[one, other].sort().join(' ')}`;

export const putAway = (one: string, other: string): void => sessionStorage.setItem(place(one, other), 'true');
export const isPutAway = (one: string, other: string): boolean => sessionStorage.getItem(place(one, other)) !== null;
