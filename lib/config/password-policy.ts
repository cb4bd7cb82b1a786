// What a password must be, for everyone's and for those in the configuration (decision I2): length, and none that everybody tries first.

/** In characters (Unicode code points). */
const PASSWORD_MIN_LENGTH = 8;
const PASSWORD_MAX_LENGTH = 256;

// The stems of the passwords that lead every published list of leaked ones, Swedish ones too. Compared after folding (see
// `stemOf`), so that `P@ssw0rd!2024` is found by `password`.
const COMMON_STEMS = new Set(
  `password passwort losenord hemligt hemlis secret secretpassword letmein welcome valkommen welcometo admin administrator
  adminadmin root rootroot toor user guest test testtest testing demo kedja changeme change default master login
  qwerty qwertyu qwertyui qwertyuiop qwertz qwertzuiop qwer asdf asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc
  qweasd qweasdzxc abc abcd abcde abcdef abcdefg abcdefgh abcabc aaaaaaaa xxxxxxxx iloveyou jagalskardig sunshine princess prinsessa
  football baseball basketball superman batman spiderman starwars pokemon dragon monkey shadow michael jennifer
  jordan computer internet samsung whatever trustno trustnoone freedom fotboll sommar vinter hosten varen sverige
  sweden stockholm goteborg malmo januari februari summer winter spring autumn monday friday mustang ferrari porsche
  corvette charlie thomas daniel jessica ashley nicole chocolate butterfly passpass passord pass login loginlogin
  hejhej hejsan hejhejhej tjena mormor farmor mamma pappa familjen`.split(/\s+/),
);
const SEQUENCES = ['0123456789012345', '1234567890123456', '9876543210987654', 'abcdefghijklmnopqrstuvwxyz'];
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

export type PasswordWeakness = 'short' | 'long' | 'common';

const FAULTS: Readonly<Record<PasswordWeakness, string>> = {
  short: `must have at least ${PASSWORD_MIN_LENGTH} characters`,
  long: `must have at most ${PASSWORD_MAX_LENGTH} characters`,
  common: 'must not be one of the common passwords',
};

/** The form that is hashed and judged: the same characters typed on different keyboards are one password (NIST SP 800-63B §5.1.1.2). */
export function normalisePassword(typed: string): string {
  return typed.normalize('NFKC');
}

/** What is wrong with a password; undefined when it will do. */
export function passwordWeakness(typed: string): PasswordWeakness | undefined {
  const password = normalisePassword(typed);
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH) return 'short';
  if (length > PASSWORD_MAX_LENGTH) return 'long';
  return isCommonPassword(password) ? 'common' : undefined;
}

/** Everything that is wrong with a password, as texts to follow its name (`must …`); none holds the password. */
export function passwordFaults(password: string): string[] {
  const weakness = passwordWeakness(password);
  return weakness === undefined ? [] : [FAULTS[weakness]];
}

function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  if (/^(.{1,4})\1+$/su.test(lower) || SEQUENCES.some((sequence) => sequence.includes(lower))) return true;
  const bare = stripEnds(lower);
  return bare === '' ? isPlainNumber(lower) : COMMON_STEMS.has(fold(bare)) || COMMON_STEMS.has(fold(lower));
}

/** Digits alone are guessed fast; a date or a telephone number is no password. */
function isPlainNumber(lower: string): boolean {
  return /^\d{1,11}$/.test(lower);
}

/** Without the digits and signs that people put around a word. */
function stripEnds(lower: string): string {
  return lower.replace(/^[^\p{L}@$]+|[^\p{L}]+$/gu, '');
}

function fold(lower: string): string {
  const plain = lower.normalize('NFD').replace(/\p{M}/gu, '');
  return [...plain]
    .map((character) => LEET[character] ?? character)
    .join('')
    .replace(/[^a-z]/g, '');
}
