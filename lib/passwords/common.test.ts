import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countCommonPasswords } from './common.ts';
import { passwordIssues } from './policy.ts';

/**
 * What leads the published lists of every year, what people in Sweden choose, and what administrators set "for now": 8
 * characters and more.
 */
const VERY_COMMON =
  `123456789 12345678 1234567890 123123123 11111111 00000000 87654321 987654321 88888888 12341234 11223344 147258369
  123456789a 12345678910 123456789q 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc qwerty123 qwerty12345 qwertyui qwertyuiop qwerty123456
  qwerty1234 Qwerty123! qweasdzxc qazwsxedc asdfghjkl asdfasdf asdf1234 asdfghjk zxcvbnm123 zxcvbnm1 zaq12wsx zaq1zaq1 q1w2e3r4 q1w2e3r4t5
  password password1 password12 password123 password1234 Password1 Password1! Password123! P@ssw0rd P@ssw0rd1 P@$$w0rd Passw0rd passw0rd1
  p@ssword1 pa55word passwort1 password! Password2024 Password2025! drowssap passpass mypassword secret123 letmein1 letmein123 welcome1
  Welcome1! welcome123 Welcome2024 Welcome2025! changeme1 changeme123 ChangeMe! admin123 admin1234 Admin123! Admin@123 administrator
  administrator1 root1234 toor1234 guest1234 test1234 Test1234! testtest testing123 default1 master123 login123 loginlogin abc12345
  abcd1234 Abcd1234! abcdefgh abcdefg1 a1b2c3d4 aa123456 Aa123456 Aa123456! aaaaaaaa abcabcabc iloveyou iloveyou1 iloveyou2 ILoveYou!
  sunshine sunshine1 princess princess1 football football1 baseball baseball1 basketball superman superman1 batman123 spiderman starwars
  starwars1 pokemon1 pokemon123 dragon123 monkey123 shadow123 michael1 jennifer jordan23 computer computer1 internet samsung1 samsung123
  whatever whatever1 trustno1 freedom1 liverpool liverpool1 chelsea1 arsenal1 barcelona realmadrid manchester juventus ferrari1 mustang1
  corvette chocolate chocolate1 butterfly charlie1 thomas123 daniel123 jessica1 ashley123 nicole123 hello123 hellohello helloworld
  blink182 cheesecake babygirl1 lovelove loveyou1 myspace1 linkedin facebook1 minecraft fortnite1 hunter22 killer123 tigger123 snoopy12
  summer2024 Summer2025! Winter2024 winter2025! Spring2025 autumn2024 January2025 monday123 december1
  sommar2024 Sommar2025! sommar123 vinter2024 Vinter2025! hösten2024 våren2025 höst2024! januari2025 februari1 lösenord lösenord1 losenord1
  Lösenord123 Losenord123! l0senord1 lösen123 välkommen välkommen1 Valkommen1! välkommen2024 hemligt1 hemligt123 hejhejhej hejhej123
  hejsan123 hejsan12 tjena123 sverige1 Sverige2024 stockholm1 Stockholm1! göteborg1 malmö2024 fotboll1 fotboll123 hammarby1 djurgården1
  älskling1 jagälskardig prinsessa1 kärlek123 mormor123 mamma123 pappa123 sköterska1 sjuksköterska sjukhus1 vården2024 vårdcentral1
  läkare123 andersson1 johansson1 svensson1 kalleanka1 pippi123 abba1234 volvo740 volvo2024 chokladboll kanelbulle1 midsommar1 tomten123
  19800101 850709-9805 198507099805 +46701234567 0701234567 !!!!!!!! 12121212 qwqwqwqw`.split(/\s+/);

test('every one of more than 200 very common passwords is refused', () => {
  assert.ok(new Set(VERY_COMMON).size >= 200, String(VERY_COMMON.length));
  assert.deepEqual(
    VERY_COMMON.filter((password) => passwordIssues(password).length === 0),
    [],
  );
});

test('they are refused in other case, other widths, with space around and with invisible characters', () => {
  for (const password of VERY_COMMON) {
    const wide = password.replace(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));
    const disguises = [password.toUpperCase(), wide, ` ${password} `, password.normalize('NFD'), `${password}\u200b`];
    for (const disguise of disguises) assert.notDeepEqual(passwordIssues(disguise), [], JSON.stringify(disguise));
  }
});

test('the list holds well over 100,000 passwords', () => {
  assert.ok(countCommonPasswords() >= 500_000, String(countCommonPasswords()));
});

test('English words and names are refused, also with a year', () => {
  for (const word of ['Thornberry1987', 'Winterbottom85', 'Abernathy2024', 'Parliamentary!']) {
    assert.notDeepEqual(passwordIssues(word), [], word);
  }
});
