/** Of `inbound_messages m`: what was dismissed of a sender whom nobody knows goes along once somebody does; one message by itself stays away. */
export const NOT_ALONE = `(m.dismissed_at IS NULL OR m.reason = 'unknown')`;
