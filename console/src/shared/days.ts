// Whole days of the reader, as two moments: a filter has days, and the services have moments.

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When a day such as 2026-03-01 begins, as an ISO instant; undefined for what is no day. */
export function startOfDay(day: string | undefined): string | undefined {
  return momentOf(day, 0);
}

/** When the day after it begins. */
export function endOfDay(day: string | undefined): string | undefined {
  return momentOf(day, 1);
}

function momentOf(day: string | undefined, later: number): string | undefined {
  if (day === undefined || !DAY.test(day)) return undefined;
  const moment = new Date(`${day}T00:00:00`);
  if (Number.isNaN(moment.getTime())) return undefined;
  moment.setDate(moment.getDate() + later);
  return moment.toISOString();
}
