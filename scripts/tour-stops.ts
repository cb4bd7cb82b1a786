// The screens of docs/tour.md: who sees each, where it is, and what is done there before it is photographed.
import type { Page } from 'playwright-core';

export interface Stop {
  /** Of the picture. */
  readonly name: string;
  /** The name of one of the demo's people. */
  readonly person: string;
  readonly path: string;
  /** In pixels; that of a desk when left out. */
  readonly width?: number;
  readonly prepare?: (page: Page) => Promise<void>;
}

const PHONE = 390;
const PLANNER = 'Karin Lindqvist';
const CAREGIVER = 'Sofia Bergman';
const PATIENT = 'Margareta Nordin';
const LEADER = 'Amina Yusuf';
const ADMINISTRATOR = 'SU admin';

export const STOPS: readonly Stop[] = [
  { name: 'planner-home', person: PLANNER, path: '/plan' },
  {
    name: 'planner-plan',
    person: PLANNER,
    path: '/plan/patients',
    prepare: async (page) => {
      await page.locator('main .cards a').first().click();
      await page.getByRole('link', { name: 'Plans', exact: true }).click();
      await page.locator('.figure').first().waitFor();
    },
  },
  {
    name: 'planner-request',
    person: PLANNER,
    path: '/plan/requests?stage=in_work',
    prepare: async (page) => {
      await page.locator('main .cards a').first().click();
      await page.locator('.steps').waitFor();
    },
  },
  {
    name: 'planner-form',
    person: PLANNER,
    path: '/plan/library/forms',
    prepare: async (page) => {
      await page
        .getByRole('link', { name: /^Change: / })
        .first()
        .click();
      await page.locator('.item-title').first().click();
    },
  },
  { name: 'planner-follow-up', person: PLANNER, path: '/plan/statistics' },
  {
    name: 'palette',
    person: PLANNER,
    path: '/plan/patients',
    prepare: async (page) => {
      const name = String(await page.locator('main .cards a').first().textContent());
      await page.keyboard.press('Control+k');
      await page.locator('dialog input').waitFor();
      await page.keyboard.type(name.split(' ').at(-1) ?? '');
      await page.getByRole('option', { name: `${name} patient` }).waitFor();
    },
  },
  { name: 'caregiver-tasks', person: CAREGIVER, path: '/care' },
  {
    name: 'caregiver-task',
    person: CAREGIVER,
    path: '/care',
    prepare: async (page) => {
      await page.locator('main .card:has-text("In progress") a').first().click();
      // The plan is the last that is read.
      await page.locator('[aria-labelledby=care] li').first().waitFor();
    },
  },
  { name: 'patient-overview', person: PATIENT, path: '/my', width: PHONE },
  { name: 'patient-plan', person: PATIENT, path: '/my/plan', width: PHONE },
  { name: 'leader-queue', person: LEADER, path: '/admin' },
  { name: 'administrator-users', person: ADMINISTRATOR, path: '/admin/users' },
];
