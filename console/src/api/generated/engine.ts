// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/v1/access-checks": { post: operations["postAccessChecks"]; };
    "/api/v1/access-log": { get: operations["getAccessLog"]; };
    "/api/v1/activities": {
        get: operations["getActivities"];
        post: operations["postActivities"];
    };
    "/api/v1/api-keys": {
        get: operations["getApiKeys"];
        post: operations["postApiKeys"];
    };
    "/api/v1/api-keys/{key_guid}": {
        get: operations["getApiKeysByKeyGuid"];
        put: operations["putApiKeysByKeyGuid"];
        delete: operations["deleteApiKeysByKeyGuid"];
    };
    "/api/v1/api-keys/{key_guid}/rotate": { post: operations["postApiKeysRotate"]; };
    "/api/v1/api-keys/{key_guid}/usage": { get: operations["getApiKeysUsage"]; };
    "/api/v1/bulk-jobs": { get: operations["getBulkJobs"]; };
    "/api/v1/canonical-libs": {
        get: operations["getCanonicalLibs"];
        post: operations["postCanonicalLibs"];
    };
    "/api/v1/concepts": {
        get: operations["getConcepts"];
        post: operations["postConcepts"];
    };
    "/api/v1/contracts": {
        get: operations["getContracts"];
        post: operations["postContracts"];
    };
    "/api/v1/contracts/{id}": {
        get: operations["getContractsById"];
        put: operations["putContractsById"];
        delete: operations["deleteContractsById"];
    };
    "/api/v1/goals": {
        get: operations["getGoals"];
        post: operations["postGoals"];
    };
    "/api/v1/health": { get: operations["getHealth"]; };
    "/api/v1/metrics": { get: operations["getMetrics"]; };
    "/api/v1/provider-directory": { get: operations["getProviderDirectory"]; };
    "/api/v1/provider-tasks/{receipt_token}": { get: operations["getProviderTasksByReceiptToken"]; };
    "/api/v1/provider-tasks/{receipt_token}/accept": { post: operations["postProviderTasksAccept"]; };
    "/api/v1/provider-tasks/{receipt_token}/careplan-details": { get: operations["getProviderTasksCareplanDetails"]; };
    "/api/v1/provider-tasks/{receipt_token}/reject": { post: operations["postProviderTasksReject"]; };
    "/api/v1/provider-tasks/{receipt_token}/report": { post: operations["postProviderTasksReport"]; };
    "/api/v1/provider-tasks/{receipt_token}/reports": { get: operations["getProviderTasksReports"]; };
    "/api/v1/provider-tasks/{receipt_token}/take-over": { post: operations["postProviderTasksTakeOver"]; };
    "/api/v1/provider-tasks/my": { get: operations["getProviderTasksMy"]; };
    "/api/v1/provider-tasks/my/counts": { get: operations["getProviderTasksMyCounts"]; };
    "/api/v1/providers": {
        get: operations["getProviders"];
        post: operations["postProviders"];
    };
    "/api/v1/providers/{id}": {
        get: operations["getProvidersById"];
        put: operations["putProvidersById"];
    };
    "/api/v1/response-types": {
        get: operations["getResponseTypes"];
        post: operations["postResponseTypes"];
    };
    "/api/v1/servers": {
        get: operations["getServers"];
        post: operations["postServers"];
    };
    "/api/v1/servers/status": { get: operations["getServersStatus"]; };
    "/api/v1/servers/test-all": { get: operations["getServersTestAll"]; };
    "/api/v1/settings": { get: operations["getSettings"]; };
    "/api/v1/status": { get: operations["getStatus"]; };
    "/api/v1/synchronize": {
        get: operations["getSynchronize"];
        post: operations["postSynchronize"];
    };
    "/api/v1/synchronize/{job_guid}": {
        get: operations["getSynchronizeByJobGuid"];
        delete: operations["deleteSynchronizeByJobGuid"];
    };
    "/api/v1/synchronize/{job_guid}/resume": { post: operations["postSynchronizeResume"]; };
    "/api/v1/synchronize/{job_guid}/stop": { post: operations["postSynchronizeStop"]; };
    "/api/v1/transactions/{id}": {
        put: operations["putTransactionsById"];
        delete: operations["deleteTransactionsById"];
    };
    "/api/v1/units": {
        get: operations["getUnits"];
        post: operations["postUnits"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessCheck: {
            acts: components["schemas"]["DecidedAct"][];
            caller: {
                acting_for?: string;
                guid: string;
                kind: "user" | "api_key" | "provider";
                organisation_guids: string[];
                phases: string[];
                provider_guids: string[];
                roles: string[];
                scopes: string[];
            };
            id: string;
            organisation_guid: string | null;
            resource_type: string;
        };
        AccessCheckCaller: {
            acting_for?: string;
            guid: string;
            kind: "user" | "api_key" | "provider";
        };
        AccessCheckInput: {
            caller: components["schemas"]["AccessCheckCaller"];
            id: string;
            resource_type: string;
        };
        AccessLogEntry: {
            action: "create" | "read" | "update" | "delete" | "execute";
            at: string;
            event_guid: string;
            outcome: "success" | "refused";
            what: string;
            who: {
                for?: string;
                name: string | null;
                role: string;
                unit: string | null;
            };
            why: ("plan" | "request") | null;
        };
        AccessLogPage: {
            data: components["schemas"]["AccessLogEntry"][];
            next_cursor: string | null;
            per_page: number;
        };
        Activity: {
            readonly activity_guid: string;
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            status: "draft" | "active" | "retired";
            transactions: components["schemas"]["Transaction"][];
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        ActivityInput: {
            concept: string;
            description?: string | null;
            name: string;
            status?: "draft" | "active" | "retired";
        };
        ActivityPage: {
            data: components["schemas"]["Activity"][];
            page: number;
            per_page: number;
            total: number;
        };
        ApiKey: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            key_guid: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            organisation_guid: string | null;
            prefix: string;
            /** Format: date-time */
            previous_key_until: string | null;
            provider_guid: string | null;
            scopes: string[];
            status: "active" | "revoked" | "expired";
            /** Format: date-time */
            readonly updated_at: string;
        };
        ApiKeyChange: {
            /** Format: date-time */
            expires_at?: string | null;
            name: string;
            scopes?: string[];
            status?: "active" | "revoked";
        };
        ApiKeyInput: {
            /** Format: date-time */
            expires_at?: string | null;
            name: string;
            organisation_guid?: string | null;
            provider_guid?: string | null;
            scopes?: string[];
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            page: number;
            per_page: number;
            total: number;
        };
        ApiKeyUsage: {
            by_day: {
                /** Format: date */
                day: string;
                requests: number;
            }[];
            /** Format: date-time */
            last_used_at: string | null;
            total: number;
        };
        ApiKeyWithSecret: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            key: string;
            key_guid: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            organisation_guid: string | null;
            prefix: string;
            /** Format: date-time */
            previous_key_until: string | null;
            provider_guid: string | null;
            reads: string;
            scopes: string[];
            status: "active" | "revoked" | "expired";
            /** Format: date-time */
            readonly updated_at: string;
        };
        BulkJob: {
            cancelled_by: {
                is_caller: boolean;
                name: string | null;
            } | null;
            counts: { [key: string]: number; };
            /** Format: date-time */
            created_at: string;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            is_own: boolean;
            job_guid: string;
            kind: "export" | "import";
            percent: number | null;
            state: "receiving" | "running" | "done" | "failed" | "cancelled";
        };
        BulkJobPage: {
            data: components["schemas"]["BulkJob"][];
            page: number;
            per_page: number;
            total: number;
        };
        CanonicalLib: {
            readonly canonical_lib_guid: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            publisher: string | null;
            readonly revision: number;
            /** Format: date-time */
            readonly updated_at: string;
            url: string;
            version: string | null;
        };
        CanonicalLibInput: {
            description?: string | null;
            name: string;
            publisher?: string | null;
            url: string;
            version?: string | null;
        };
        CanonicalLibPage: {
            data: components["schemas"]["CanonicalLib"][];
            page: number;
            per_page: number;
            total: number;
        };
        Concept: {
            canonical_lib: string;
            readonly canonical_lib_name: string;
            concept_code: string;
            concept_display_text: string | null;
            concept_explain: string | null;
            readonly concept_guid: string;
            concept_name: string;
            concept_type: string | null;
            readonly concept_type_name: string | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly has_values: boolean;
            response_type: string | null;
            readonly response_type_name: string | null;
            /** Format: date-time */
            readonly updated_at: string;
            values: components["schemas"]["PermittedValue"][];
            readonly version: number;
        };
        ConceptInput: {
            canonical_lib: string;
            concept_code?: string | null;
            concept_display_text?: string | null;
            concept_explain?: string | null;
            concept_name: string;
            concept_type?: string | null;
            response_type?: string | null;
            values?: components["schemas"]["PermittedValue"][];
        };
        ConceptPage: {
            data: components["schemas"]["Concept"][];
            page: number;
            per_page: number;
            total: number;
        };
        ContractCode: {
            code: string;
            system: string;
        };
        DecidedAct: {
            act: string;
            acting_for?: string;
            allowed: boolean;
            match?: {
                match_guid: string;
                provider_guid: string;
                provider_name: string;
            };
            resource_type: string;
            rules: components["schemas"]["DecidingRule"][];
        };
        DecidingRule: {
            given: string[];
            message: string;
            needed: string[];
            permits: boolean;
            reason: "open_to_anyone" | "credentials_missing" | "call_granted" | "call_not_granted" | "password_change_required" | "second_factor_required" | "closed_to_proxies" | "role_held" | "role_missing" | "phase_missing" | "is_proxy" | "is_guardian" | "not_a_proxy" | "proxy_not_accepted" | "proxy_declined" | "proxy_withdrawn" | "proxy_over" | "guardian_ended" | "guardian_over" | "scope_held" | "scope_missing" | "report_completed" | "report_refused" | "report_kept" | "no_organisation" | "all_records" | "no_records" | "own_organisation" | "other_organisation" | "owner_only" | "not_protected" | "protected_identity" | "own_record" | "not_own_record" | "own_report" | "not_own_report" | "record_shown" | "record_hidden" | "organisations_only" | "unprotected_only" | "own_records_only" | "state_permits" | "state_refuses" | "acts_for_provider" | "not_for_provider" | "consent_given" | "consent_implied" | "consent_denied" | "consent_missing" | "consent_unclear";
            rule: "proxy" | "role" | "scope" | "report" | "record" | "state" | "provider" | "consent";
        };
        DirectionCounts: {
            conflicts: number;
            created: number;
            deleted: number;
            read: number;
            skipped: number;
            unchanged: number;
            updated: number;
        };
        GoalDue: {
            unit: "min" | "h" | "d" | "wk" | "mo" | "a";
            value: number;
        };
        GoalTarget: {
            comparator?: "<" | "<=" | "=" | ">=" | ">";
            high?: number;
            low?: number;
            unit?: string | null;
            value?: number;
        };
        Health: {
            checks: {
                database: {
                    latency_ms: number | null;
                    status: "ok" | "degraded" | "down";
                };
                disk: {
                    free_bytes: number | null;
                    status: "ok" | "degraded" | "down";
                    total_bytes: number | null;
                };
                queue: {
                    oldest_s: number | null;
                    status: "ok" | "degraded" | "down";
                    waiting: number | null;
                };
                servers: {
                    down: number;
                    status: "ok" | "degraded" | "down";
                    total: number;
                    unknown: number;
                };
            };
            status: "ok" | "degraded" | "down";
            uptime_s: number;
            version: string;
        };
        JobCount: {
            count: number;
            kind: string;
            state: string;
        };
        LibraryGoal: {
            activities: string[];
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            due: { [key: string]: unknown; } | null;
            readonly goal_guid: string;
            name: string;
            target: ({ readonly unit_name?: string | null; } & { [key: string]: unknown; }) | null;
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        LibraryGoalInput: {
            activities?: string[];
            concept: string;
            description?: string | null;
            due?: components["schemas"]["GoalDue"] | null;
            name: string;
            target?: components["schemas"]["GoalTarget"] | null;
        };
        LibraryGoalPage: {
            data: components["schemas"]["LibraryGoal"][];
            page: number;
            per_page: number;
            total: number;
        };
        OwnTaskCounts: {
            accepted: number;
            completed: number;
            in_progress: number;
            received: number;
            rejected: number;
            withdrawn: number;
        };
        PermittedValue: {
            code: string;
            display: string;
        };
        Provider: {
            /** Format: date-time */
            readonly created_at: string;
            name: string;
            organisation_guid: string | null;
            readonly provider_guid: string;
            region: string;
            status: "active" | "inactive";
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        ProviderContract: {
            codes: components["schemas"]["ContractCode"][];
            readonly contract_guid: string;
            /** Format: date-time */
            readonly created_at: string;
            organisation_guid: string | null;
            provider_guid: string;
            readonly provider_name: string;
            region: string | null;
            status: "active" | "inactive";
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date */
            valid_from: string;
            valid_to: string | null;
            readonly version: number;
        };
        ProviderContractInput: {
            codes: components["schemas"]["ContractCode"][];
            organisation_guid?: string | null;
            provider_guid: string;
            region?: string | null;
            status?: "active" | "inactive";
            /** Format: date */
            valid_from: string;
            /** Format: date */
            valid_to?: string | null;
        };
        ProviderContractPage: {
            data: components["schemas"]["ProviderContract"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderInput: {
            name: string;
            organisation_guid?: string | null;
            region: string;
            status?: "active" | "inactive";
        };
        ProviderPage: {
            data: components["schemas"]["Provider"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderSummary: {
            name: string;
            organisation_guid: string | null;
            readonly provider_guid: string;
            region: string;
        };
        ProviderSummaryPage: {
            data: components["schemas"]["ProviderSummary"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderTask: {
            accepted_by?: components["schemas"]["TaskPerson"];
            /** Format: date-time */
            due: string | null;
            patient: components["schemas"]["TaskPatient"] | null;
            pending_decision: string | null;
            problem?: {
                error: "unavailable";
                message: string;
            };
            provider_guid: string;
            reason: string | null;
            receipt_token: string | null;
            /** Format: date-time */
            received_at: string;
            reported_by?: components["schemas"]["TaskPerson"];
            request_guid: string;
            requester: components["schemas"]["TaskRequester"] | null;
            responsible?: components["schemas"]["TaskPerson"];
            status: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
            title: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        ProviderTaskPage: {
            data: components["schemas"]["ProviderTask"][];
            page: number;
            per_page: number;
            total: number;
        };
        ReportOfTask: {
            note: string | null;
            observations: ({ resourceType: "Observation"; } & { [key: string]: unknown; })[];
            questionnaire_responses: ({ resourceType: "QuestionnaireResponse"; } & { [key: string]: unknown; })[];
            report_guid: string;
            /** Format: date-time */
            reported_at: string;
            reported_by?: components["schemas"]["TaskPerson"];
            status: "partial" | "final";
        };
        ReportOfTaskPage: {
            data: components["schemas"]["ReportOfTask"][];
            next_cursor: string | null;
            per_page: number;
        };
        RequestFigures: {
            errors: number;
            routes: components["schemas"]["RouteFigures"][];
            total: number;
        };
        ResponseType: {
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            fhir_type: "Quantity" | "CodeableConcept" | "string" | "boolean" | "integer" | "Range" | "Ratio" | "SampledData" | "time" | "dateTime" | "Period";
            name: string;
            readonly response_type_guid: string;
            readonly revision: number;
            /** Format: date-time */
            readonly updated_at: string;
        };
        ResponseTypeInput: {
            description?: string | null;
            fhir_type: "Quantity" | "CodeableConcept" | "string" | "boolean" | "integer" | "Range" | "Ratio" | "SampledData" | "time" | "dateTime" | "Period";
            name: string;
        };
        ResponseTypePage: {
            data: components["schemas"]["ResponseType"][];
            page: number;
            per_page: number;
            total: number;
        };
        RouteFigures: {
            count: number;
            errors: number;
            mean_ms: number;
            method: string;
            p50_ms: number;
            p95_ms: number;
            p99_ms: number;
            route: string;
        };
        Server: {
            auth: {
                client_id?: string;
                scope?: string;
                token_url?: string;
                type: "none" | "basic" | "bearer" | "client_credentials";
                username?: string;
            };
            /** Format: date-time */
            readonly created_at: string | null;
            kind: "fhir" | "terminology";
            name: string;
            readonly source: "api" | "file";
            timeout_ms: number;
            /** Format: date-time */
            readonly updated_at: string | null;
            url: string;
        };
        ServerAuthInput: {
            client_id?: string;
            client_secret?: string;
            password?: string;
            scope?: string;
            token?: string;
            token_url?: string;
            type: "none" | "basic" | "bearer" | "client_credentials";
            username?: string;
        };
        ServerInput: {
            auth?: components["schemas"]["ServerAuthInput"];
            kind?: "fhir" | "terminology";
            name: string;
            /** @default 10000 */
            timeout_ms?: number;
            url: string;
        };
        ServerPage: {
            data: components["schemas"]["Server"][];
            page: number;
            per_page: number;
            total: number;
        };
        ServerStatus: {
            circuit: "closed" | "open" | "half_open";
            kind: "fhir" | "terminology";
            last_failure: string | null;
            /** Format: date-time */
            last_failure_at: string | null;
            /** Format: date-time */
            last_success_at: string | null;
            latency_ms: number | null;
            name: string;
            status: "up" | "down" | "unknown";
            url: string;
        };
        ServerTest: {
            error: {
                message: string;
                reason: string;
            } | null;
            fhir_version: string | null;
            kind: "fhir" | "terminology";
            latency_ms: number | null;
            name: string | null;
            reachable: boolean;
            resource_types: number | null;
            software: string | null;
            url: string;
        };
        ServiceMetrics: {
            caches: {
                cache: string;
                hit_rate: number | null;
                hits: number;
                misses: number;
            }[];
            jobs: components["schemas"]["JobCount"][];
            process: {
                cpu_s: number;
                memory_bytes: number;
                uptime_s: number;
            };
            requests: components["schemas"]["RequestFigures"];
            resources: { [key: string]: number; };
        };
        Setting: {
            default: string | null;
            is_secret: boolean;
            is_set: boolean;
            meaning: string;
            name: string;
            section: string;
            source: "environment" | "env_file" | "secret_file" | "default" | "unset";
            type: string;
            value: string | null;
            when_unset: string | null;
        };
        Settings: {
            reference: string;
            settings: components["schemas"]["Setting"][];
        };
        SyncConflict: {
            id: string;
            kind: "both_changed" | "different" | "deleted_here" | "deleted_there" | "refused_here" | "refused_there" | "failed_there" | "unreadable";
            message: string;
            resource_type: string;
        };
        SyncCounts: {
            pull: components["schemas"]["DirectionCounts"];
            push: components["schemas"]["DirectionCounts"];
        };
        SyncJob: {
            conflict_count: number;
            counts: components["schemas"]["SyncCounts"];
            /** Format: date-time */
            created_at: string;
            direction: "pull" | "push" | "both";
            dry_run: boolean;
            failures: number;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            job_guid: string;
            progress: components["schemas"]["SyncProgress"];
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since: string | null;
            state: "running" | "stopped" | "done" | "failed";
            /** Format: date-time */
            updated_at: string;
        };
        SyncJobDetails: {
            conflict_count: number;
            conflicts: components["schemas"]["SyncConflict"][];
            counts: components["schemas"]["SyncCounts"];
            /** Format: date-time */
            created_at: string;
            direction: "pull" | "push" | "both";
            dry_run: boolean;
            failures: number;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            job_guid: string;
            progress: components["schemas"]["SyncProgress"];
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since: string | null;
            state: "running" | "stopped" | "done" | "failed";
            /** Format: date-time */
            updated_at: string;
        };
        SyncJobInput: {
            direction: "pull" | "push" | "both";
            /** @default false */
            dry_run?: boolean;
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since?: string | null;
        };
        SyncJobPage: {
            data: components["schemas"]["SyncJob"][];
            page: number;
            per_page: number;
            total: number;
        };
        SyncProgress: {
            phase: "pull" | "push" | null;
            resource_type: string | null;
            seen: number;
            total: number | null;
            types_done: number;
            types_total: number;
        };
        SystemStatus: {
            counts: { [key: string]: number; };
            jobs: components["schemas"]["JobCount"][];
            node: {
                host: string;
                pid: number;
                platform: string;
                runtime: string;
            };
            servers: components["schemas"]["ServerStatus"][];
            /** Format: date-time */
            started_at: string;
            version: string;
        };
        TaskPatient: {
            birth_date?: string | null;
            gender?: string | null;
            name: string | null;
            patient_guid?: string;
        };
        TaskPerson: {
            name: string | null;
            user_guid: string;
        };
        TaskReport: {
            observations: { reference: string; }[];
            questionnaire_responses: { reference: string; }[];
            task: components["schemas"]["ProviderTask"];
        };
        TaskReportInput: {
            note?: string;
            observations?: { [key: string]: unknown; }[];
            questionnaire_responses?: { [key: string]: unknown; }[];
            status: "partial" | "final";
        };
        TaskRequester: {
            contacts: {
                system?: string;
                value: string;
            }[];
            person: string | null;
            unit: string | null;
        };
        TimingRepeat: {
            count?: number;
            countMax?: number;
            dayOfWeek?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            duration?: number;
            durationMax?: number;
            durationUnit?: "s" | "min" | "h" | "d" | "wk" | "mo" | "a";
            frequency?: number;
            frequencyMax?: number;
            offset?: number;
            period?: number;
            periodMax?: number;
            periodUnit?: "s" | "min" | "h" | "d" | "wk" | "mo" | "a";
            timeOfDay?: string[];
            when?: string[];
        };
        Transaction: {
            readonly activity_guid: string;
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            name: string;
            position: number;
            required: boolean;
            response_type: string | null;
            readonly response_type_name: string | null;
            timing: { [key: string]: unknown; } | null;
            readonly transaction_guid: string;
            unit: string | null;
            readonly unit_name: string | null;
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        TransactionInput: {
            concept: string;
            name: string;
            position?: number;
            /** @default false */
            required?: boolean;
            response_type?: string | null;
            timing?: components["schemas"]["TimingRepeat"] | null;
            unit?: string | null;
        };
        Unit: {
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            readonly revision: number;
            ucum_code: string;
            readonly unit_guid: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        UnitInput: {
            description?: string | null;
            name: string;
            ucum_code: string;
        };
        UnitPage: {
            data: components["schemas"]["Unit"][];
            page: number;
            per_page: number;
            total: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: { "Kedja-Position": string; };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAccessChecks: {
        parameters: {};
        requestBody: { content: { "application/json": components["schemas"]["AccessCheckInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AccessCheck"]; }; }; };
    };
    getAccessLog: {
        parameters: { query?: {
            cursor?: string;
            lang?: "sv" | "en";
            patient?: string;
            per_page?: number;
            person?: string;
            since?: string;
            unit?: string;
            until?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AccessLogPage"]; }; }; };
    };
    getActivities: {
        parameters: { query?: {
            concept?: string;
            page?: number;
            per_page?: number;
            search?: string;
            status?: "draft" | "active" | "retired";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ActivityPage"]; }; }; };
    };
    postActivities: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ActivityInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Activity"]; }; }; };
    };
    getApiKeys: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            provider_guid?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ApiKeyPage"]; }; }; };
    };
    postApiKeys: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ApiKeyInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["ApiKeyWithSecret"]; }; }; };
    };
    getApiKeysByKeyGuid: {
        parameters: { path: { key_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ApiKey"]; }; }; };
    };
    putApiKeysByKeyGuid: {
        parameters: { path: { key_guid: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ApiKeyChange"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ApiKey"]; }; }; };
    };
    deleteApiKeysByKeyGuid: {
        parameters: { path: { key_guid: string; }; };
        responses: { 204: { content?: never; }; };
    };
    postApiKeysRotate: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { key_guid: string; };
        };
        requestBody: { content: { "application/json": { /** @default 0 */
        grace_hours?: number; } | null; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ApiKeyWithSecret"]; }; }; };
    };
    getApiKeysUsage: {
        parameters: {
            query?: { days?: number; };
            path: { key_guid: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["ApiKeyUsage"]; }; }; };
    };
    getBulkJobs: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["BulkJobPage"]; }; }; };
    };
    getCanonicalLibs: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["CanonicalLibPage"]; }; }; };
    };
    postCanonicalLibs: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["CanonicalLibInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["CanonicalLib"]; }; }; };
    };
    getConcepts: {
        parameters: { query?: {
            canonical_lib?: string;
            concept_type?: string;
            has_values?: boolean;
            page?: number;
            per_page?: number;
            response_type?: string;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ConceptPage"]; }; }; };
    };
    postConcepts: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ConceptInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Concept"]; }; }; };
    };
    getContracts: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            provider_guid?: string;
            status?: "active" | "inactive";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderContractPage"]; }; }; };
    };
    postContracts: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ProviderContractInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["ProviderContract"]; }; }; };
    };
    getContractsById: {
        parameters: { path: { id: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderContract"]; }; }; };
    };
    putContractsById: {
        parameters: {
            header?: { "if-match"?: string; };
            path: { id: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["ProviderContractInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderContract"]; }; }; };
    };
    deleteContractsById: {
        parameters: {
            header?: { "if-match"?: string; };
            path: { id: string; };
        };
        responses: { 204: { content?: never; }; };
    };
    getGoals: {
        parameters: { query?: {
            activity?: string;
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["LibraryGoalPage"]; }; }; };
    };
    postGoals: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["LibraryGoalInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["LibraryGoal"]; }; }; };
    };
    getHealth: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["Health"]; }; }; };
    };
    getMetrics: {
        parameters: {};
        responses: { 200: { content: {
            "application/json": components["schemas"]["ServiceMetrics"];
            "text/plain": string;
        }; }; };
    };
    getProviderDirectory: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            provider_guid?: string[];
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderSummaryPage"]; }; }; };
    };
    getProviderTasksByReceiptToken: {
        parameters: { path: { receipt_token: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderTask"]; }; }; };
    };
    postProviderTasksAccept: {
        parameters: { path: { receipt_token: string; }; };
        requestBody: { content: { "application/json": Record<string, never> | null; }; };
        responses: {
            200: { content: { "application/json": components["schemas"]["ProviderTask"]; }; };
            202: { content: { "application/json": components["schemas"]["ProviderTask"]; }; };
        };
    };
    getProviderTasksCareplanDetails: {
        parameters: { path: { receipt_token: string; }; };
        responses: { 200: { content: { "application/json": {
            care_plan: ({ resourceType: "CarePlan"; } & { [key: string]: unknown; }) | null;
            forms: { [key: string]: unknown; }[];
            measures: {
                codes: { [key: string]: { [key: string]: unknown; }; };
                form: { [key: string]: unknown; };
            } | null;
            patient: ({ resourceType: "Patient"; } & { [key: string]: unknown; }) | null;
            plan: ({
                activities: { [key: string]: unknown; }[];
                goals: { [key: string]: unknown; }[];
                transactions: { [key: string]: unknown; }[];
            } & { [key: string]: unknown; }) | null;
            plan_definition: ({ resourceType: "PlanDefinition"; } & { [key: string]: unknown; }) | null;
            questionnaires: ({ resourceType: "Questionnaire"; } & { [key: string]: unknown; })[];
            request_guid: string;
            requester: components["schemas"]["TaskRequester"];
            service_request: { resourceType: "ServiceRequest"; } & { [key: string]: unknown; };
            status: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
        }; }; }; };
    };
    postProviderTasksReject: {
        parameters: { path: { receipt_token: string; }; };
        requestBody: { content: { "application/json": { reason?: string; } | null; }; };
        responses: {
            200: { content: { "application/json": components["schemas"]["ProviderTask"]; }; };
            202: { content: { "application/json": components["schemas"]["ProviderTask"]; }; };
        };
    };
    postProviderTasksReport: {
        parameters: {
            header?: { "Idempotency-Key"?: string; };
            path: { receipt_token: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["TaskReportInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["TaskReport"]; }; }; };
    };
    getProviderTasksReports: {
        parameters: {
            query?: {
                cursor?: string;
                per_page?: number;
            };
            path: { receipt_token: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["ReportOfTaskPage"]; }; }; };
    };
    postProviderTasksTakeOver: {
        parameters: { path: { receipt_token: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderTask"]; }; }; };
    };
    getProviderTasksMy: {
        parameters: { query?: {
            mine?: boolean;
            open?: boolean;
            order?: "received" | "due";
            page?: number;
            per_page?: number;
            status?: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderTaskPage"]; }; }; };
    };
    getProviderTasksMyCounts: {
        parameters: { query?: { mine?: boolean; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OwnTaskCounts"]; }; }; };
    };
    getProviders: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            region?: string;
            search?: string;
            status?: "active" | "inactive";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ProviderPage"]; }; }; };
    };
    postProviders: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ProviderInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Provider"]; }; }; };
    };
    getProvidersById: {
        parameters: { path: { id: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Provider"]; }; }; };
    };
    putProvidersById: {
        parameters: {
            header?: { "if-match"?: string; };
            path: { id: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["ProviderInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Provider"]; }; }; };
    };
    getResponseTypes: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ResponseTypePage"]; }; }; };
    };
    postResponseTypes: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ResponseTypeInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["ResponseType"]; }; }; };
    };
    getServers: {
        parameters: { query?: {
            kind?: "fhir" | "terminology";
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["ServerPage"]; }; }; };
    };
    postServers: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ServerInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Server"]; }; }; };
    };
    getServersStatus: {
        parameters: {};
        responses: { 200: { content: { "application/json": { servers: components["schemas"]["ServerStatus"][]; }; }; }; };
    };
    getServersTestAll: {
        parameters: {};
        responses: { 200: { content: { "application/json": { servers: components["schemas"]["ServerTest"][]; }; }; }; };
    };
    getSettings: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["Settings"]; }; }; };
    };
    getStatus: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["SystemStatus"]; }; }; };
    };
    getSynchronize: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            state?: "running" | "stopped" | "done" | "failed";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["SyncJobPage"]; }; }; };
    };
    postSynchronize: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["SyncJobInput"]; }; };
        responses: { 202: { content: { "application/json": { job_guid: string; }; }; }; };
    };
    getSynchronizeByJobGuid: {
        parameters: { path: { job_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["SyncJobDetails"]; }; }; };
    };
    deleteSynchronizeByJobGuid: {
        parameters: { path: { job_guid: string; }; };
        responses: { 204: { content?: never; }; };
    };
    postSynchronizeResume: {
        parameters: { path: { job_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["SyncJobDetails"]; }; }; };
    };
    postSynchronizeStop: {
        parameters: { path: { job_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["SyncJobDetails"]; }; }; };
    };
    putTransactionsById: {
        parameters: {
            header?: { "if-match"?: string; };
            path: { id: string; };
        };
        requestBody: { content: { "application/json": components["schemas"]["TransactionInput"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Transaction"]; }; }; };
    };
    deleteTransactionsById: {
        parameters: {
            header?: { "if-match"?: string; };
            path: { id: string; };
        };
        responses: { 204: { content?: never; }; };
    };
    getUnits: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UnitPage"]; }; }; };
    };
    postUnits: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["UnitInput"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Unit"]; }; }; };
    };
}
