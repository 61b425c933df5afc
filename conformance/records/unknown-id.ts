/** The greatest id of a signed 32-bit column: no service has given it out, and none fails to read it. */
export const UNKNOWN_ID = 2_147_483_647;
