// `npm run bench dispatch [-- --quick] [--only push]`: dispatch over HTTP, from the push to the provider's endpoint, in
// one process with one worker.
import { type Figure, printTable, progress } from '../report.ts';
import { measureDraining } from './draining.ts';
import { measureFeed } from './feeding.ts';
import { organisations, patientsWithConsents, storeResources } from './fill.ts';
import { makePlain, measureFinalizing, publish } from './finalizing.ts';
import { measurePushing } from './pushing.ts';
import { startDispatchSite } from './site.ts';

/** As many as there are pushes: each is for another one. */
const PATIENTS = 10_000;
const QUICK_PATIENTS = 2500;
/** More than there are providers. */
const ORGANISATIONS = 1000;

/** Prints the table; whether every must is met. */
export async function benchDispatch({ isQuick, only }: { isQuick: boolean; only: string }): Promise<boolean> {
  const wants = (title: string) => only === '' || only.split(',').some((word) => title.includes(word));
  const patients = isQuick ? QUICK_PATIENTS : PATIENTS;
  const site = await startDispatchSite();
  try {
    const figures: Figure[] = [];
    progress('patients and consents');
    await storeResources(site.database, [...organisations(ORGANISATIONS), ...patientsWithConsents(patients)]);
    await publish(site);
    const { figures: finalizing, original } = await measureFinalizing(site, isQuick);
    figures.push(...finalizing);
    const plain = await makePlain(site);
    if (wants('push')) figures.push(...(await measurePushing(site, original, isQuick)));
    if (wants('drain')) figures.push(...(await measureDraining(site, plain, { isQuick, patients })));
    if (wants('feed')) figures.push(...(await measureFeed(site, plain, { isQuick, patients })));
    progress('');
    console.log('\ndispatch, one process, one worker');
    return printTable(figures);
  } finally {
    await site.stop();
  }
}
