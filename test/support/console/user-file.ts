// A file of users for the browser test of imports.

/** Forty users as a spreadsheet in Swedish writes them: one comes twice, one has an account, two have errors. */
export function fileOfForty(): string {
  const good = Array.from(
    { length: 36 },
    (_, index) => `ny${index}@example.org;Ny;Nilsson ${index};sjuksköterska;Region Norr`,
  );
  const others = [
    'ny0@example.org;Ny;Igen;läkare;Region Norr',
    'KARIN.LIND@example.org;Karin;Lind;läkare;Region Norr',
    'vilse@example.org;Vilse;"Ek; <b>";läkare;Ingenstans',
    'ingen adress;;Utan;läkare;Region Norr',
  ];
  return ['E-post;Förnamn;Efternamn;Yrke;Enhet', ...good, ...others].join('\r\n');
}
