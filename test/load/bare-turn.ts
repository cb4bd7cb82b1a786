// What one turn of an event loop takes at least for the largest body, on this machine and now: its text is decoded and
// encoded once. Every read and write of a resource does as much, and what they take beyond it is what is tested.

/** As the largest bodies that services take, with a letter that makes the text twice as wide in memory. */
const LARGEST = Buffer.from(`{"text":"ł","list":[${'{"url":"http://a","valueCode":"a"},'.repeat(280_000)}]}`);
/** A turn of 100 ms is ten times as long as the bare one where nothing else runs. */
const MOST_BARE_TURNS = 8;
const ROUNDS = 3;

/** The promised bound, or more where memory is slow; both in milliseconds of processor time. */
export function allowedTurnMs(promised: number): number {
  const bare = Math.min(...Array.from({ length: ROUNDS }, bareTurnMs));
  return Math.max(promised, MOST_BARE_TURNS * bare);
}

function bareTurnMs(): number {
  const before = process.threadCpuUsage();
  Buffer.from(LARGEST.toString('utf8'));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
