// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/admin/access-requests": {
        get: operations["getAdminAccessRequests"];
        post: operations["postAdminAccessRequests"];
    };
    "/api/admin/assign-group-admin": { post: operations["postAdminAssignGroupAdmin"]; };
    "/api/admin/audit": { get: operations["getAdminAudit"]; };
    "/api/admin/group-proposals": {
        get: operations["getAdminGroupProposals"];
        post: operations["postAdminGroupProposals"];
    };
    "/api/admin/groups/{group_guid}": { delete: operations["deleteAdminGroupsByGroupGuid"]; };
    "/api/admin/leader-requests": {
        get: operations["getAdminLeaderRequests"];
        post: operations["postAdminLeaderRequests"];
    };
    "/api/admin/oath-overview": {
        get: operations["getAdminOathOverview"];
        put: operations["putAdminOathOverview"];
    };
    "/api/admin/organisation-search": { get: operations["getAdminOrganisationSearch"]; };
    "/api/admin/organisations": {
        get: operations["getAdminOrganisations"];
        post: operations["postAdminOrganisations"];
    };
    "/api/admin/organisations/{organisation_guid}/provider": {
        put: operations["putAdminOrganisationsProvider"];
        delete: operations["deleteAdminOrganisationsProvider"];
    };
    "/api/admin/promote-su": { post: operations["postAdminPromoteSu"]; };
    "/api/admin/settings": { get: operations["getAdminSettings"]; };
    "/api/admin/status": { get: operations["getAdminStatus"]; };
    "/api/admin/user-search": { get: operations["getAdminUserSearch"]; };
    "/api/admin/users/{user_guid}": {
        get: operations["getAdminUsersByUserGuid"];
        delete: operations["deleteAdminUsersByUserGuid"];
        patch: operations["patchAdminUsersByUserGuid"];
    };
    "/api/admin/users/{user_guid}/block": { post: operations["postAdminUsersBlock"]; };
    "/api/admin/users/{user_guid}/deletion": { get: operations["getAdminUsersDeletion"]; };
    "/api/admin/users/{user_guid}/merge": {
        get: operations["getAdminUsersMerge"];
        post: operations["postAdminUsersMerge"];
        delete: operations["deleteAdminUsersMerge"];
    };
    "/api/admin/users/{user_guid}/password-reset": { post: operations["postAdminUsersPasswordReset"]; };
    "/api/admin/users/{user_guid}/second-factor": { delete: operations["deleteAdminUsersSecondFactor"]; };
    "/api/admin/users/{user_guid}/sessions": { delete: operations["deleteAdminUsersSessions"]; };
    "/api/admin/users/{user_guid}/unblock": { post: operations["postAdminUsersUnblock"]; };
    "/api/auth/account": {
        get: operations["getAuthAccount"];
        patch: operations["patchAuthAccount"];
    };
    "/api/auth/me": { get: operations["getAuthMe"]; };
    "/api/auth/second-factor": {
        get: operations["getAuthSecondFactor"];
        post: operations["postAuthSecondFactor"];
    };
    "/api/auth/sessions": {
        get: operations["getAuthSessions"];
        delete: operations["deleteAuthSessions"];
    };
    "/api/auth/sessions/{session_guid}": { delete: operations["deleteAuthSessionsBySessionGuid"]; };
    "/api/auth/sessions/current": { get: operations["getAuthSessionsCurrent"]; };
    "/api/groups/admin/decide": { post: operations["postGroupsAdminDecide"]; };
    "/api/groups/admin/decision-queue": { get: operations["getGroupsAdminDecisionQueue"]; };
    "/api/groups/admin/groups": { get: operations["getGroupsAdminGroups"]; };
    "/api/groups/admin/groups/{group_guid}": { get: operations["getGroupsAdminGroupsByGroupGuid"]; };
    "/api/groups/admin/groups/{group_guid}/invites": { get: operations["getGroupsAdminGroupsInvites"]; };
    "/api/groups/admin/groups/{group_guid}/invites/{invite_guid}": { delete: operations["deleteGroupsAdminGroupsInvitesByInviteGuid"]; };
    "/api/groups/admin/groups/{group_guid}/members": { get: operations["getGroupsAdminGroupsMembers"]; };
    "/api/groups/admin/groups/{group_guid}/members/{user_guid}": { delete: operations["deleteGroupsAdminGroupsMembersByUserGuid"]; };
    "/api/groups/admin/invite": { post: operations["postGroupsAdminInvite"]; };
    "/api/groups/join-by-invite": { post: operations["postGroupsJoinByInvite"]; };
    "/api/patient/proxies": {
        get: operations["getPatientProxies"];
        post: operations["postPatientProxies"];
    };
    "/api/patient/proxies/{proxy_guid}": { delete: operations["deletePatientProxiesByProxyGuid"]; };
    "/api/patient/proxies/{proxy_guid}/accept": { post: operations["postPatientProxiesAccept"]; };
    "/api/patient/registry-status": { get: operations["getPatientRegistryStatus"]; };
    "/api/patients/lookup": { post: operations["postPatientsLookup"]; };
    "/api/public/organisations": { get: operations["getPublicOrganisations"]; };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessMembership: {
            group_guid: string;
            group_name: string;
            group_type: string;
            is_admin: boolean;
            status: string;
        };
        AccessRequest: {
            access_request_guid: string;
            chosen_leader_guid: string | null;
            chosen_leader_name: string | null;
            created_at: string;
            email: string;
            endorsed_at: string | null;
            endorsed_by_guid: string | null;
            first_name: string;
            last_name: string;
            organisation_guid: string;
            organisation_name: string;
            professional_role: "doctor" | "nurse" | "other";
            requested_phases: string[];
            status: "pending" | "endorsed" | "approved" | "rejected";
        };
        AccountMerge: {
            email: string;
            groups: {
                group_guid: string;
                group_type: string;
                is_admin: boolean;
                name: string;
            }[];
            into_user_guid: string;
            is_merged: boolean;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient_guid: string | null;
            registries: string[];
            rights_left: ("su_admin" | "privacy_officer")[];
            sessions: number;
            user_guid: string;
        };
        AdministeredGroup: {
            admins: number;
            description: string | null;
            group_guid: string;
            group_type: string;
            invites: number;
            members: number;
            name: string;
            pending: number;
        };
        AdministeredGroupPage: {
            data: components["schemas"]["AdministeredGroup"][];
            page: number;
            per_page: number;
            total: number;
        };
        AuditEntry: {
            action: "C" | "R" | "U" | "D" | "E";
            actor: {
                email: string | null;
                operator: string | null;
                roles: string[];
                service: string | null;
                user_guid: string | null;
            };
            address: string | null;
            audit_guid: string;
            detail: string | null;
            entities: string[];
            event: string;
            outcome: "success" | "failure";
            patient_guid: string | null;
            recorded_at: string;
            request_id: string | null;
            subject: {
                email: string | null;
                user_guid: string;
            } | null;
        };
        CountedOrganisation: {
            name: string;
            organisation_guid: string;
            professionals: number;
            provider_guid: string | null;
        };
        CountedOrganisationPage: {
            data: components["schemas"]["CountedOrganisation"][];
            page: number;
            per_page: number;
            total: number;
        };
        GroupMember: {
            created_at: string;
            email: string;
            first_name: string | null;
            is_admin: boolean;
            last_name: string | null;
            membership_guid: string;
            status: "pending" | "approved" | "rejected";
            user_guid: string;
        };
        GroupMemberPage: {
            data: components["schemas"]["GroupMember"][];
            page: number;
            per_page: number;
            total: number;
        };
        GroupMembership: {
            group_guid: string;
            group_name: string;
            group_type: string;
            is_admin: boolean;
            membership_guid: string;
            status: "pending" | "approved" | "rejected";
        };
        GroupProposal: {
            created_at: string;
            description: string | null;
            first_name: string | null;
            group_type: "phase" | "team" | "organisation" | "quality_registry";
            last_name: string | null;
            name: string;
            proposal_guid: string;
            status: "pending" | "approved" | "rejected";
            user_email: string;
            user_guid: string;
        };
        Invite: {
            created_at: string;
            created_by: string | null;
            expires_at: string;
            invite_guid: string;
        };
        LeaderRequest: {
            created_at: string;
            first_name: string | null;
            group_guid: string;
            group_name: string;
            last_name: string | null;
            leader_request_guid: string;
            status: "pending" | "approved" | "rejected";
            user_email: string;
            user_guid: string;
        };
        LinkedRecords: {
            dispatch: string[];
            engine: string[];
        };
        ListedPatient: {
            in_registry: boolean;
            organisation_guid: string | null;
            patient_guid: string;
            registries: string[];
        };
        ListedProfessional: {
            is_privacy_officer?: boolean;
            memberships: components["schemas"]["GroupMembership"][];
            professional_guid: string;
            professional_role: "doctor" | "nurse" | "other";
        };
        NamedOrganisation: {
            name: string;
            organisation_guid: string;
        };
        NewInvite: {
            expires_at: string;
            group_guid: string;
            invite_guid: string;
            link?: string;
            qr_svg?: string;
            token: string;
        };
        OpenDecision: {
            chosen_leader_name: string | null;
            created_at: string;
            description: string | null;
            email: string;
            first_name: string | null;
            group_guid: string | null;
            group_name: string | null;
            group_type: string | null;
            guid: string;
            kind: "access_request" | "membership" | "leader_request" | "group_proposal";
            last_name: string | null;
            may_decide: boolean;
            organisation_name: string | null;
            professional_role: string | null;
            requested_phases: string[];
            status: "pending" | "endorsed";
            user_guid: string | null;
        };
        OpenDecisionPage: {
            counts: {
                access_request: number;
                group_proposal: number;
                leader_request: number;
                membership: number;
            };
            data: components["schemas"]["OpenDecision"][];
            page: number;
            per_page: number;
            total: number;
        };
        Organisation: {
            name: string;
            organisation_guid: string;
            provider_guid?: string;
            resourceType: "Organization";
        };
        OwnAccount: {
            email: string;
            first_name: string | null;
            last_name: string | null;
            pending_email: string | null;
            user_guid: string;
            user_type: "professional" | "patient";
        };
        PatientAccess: {
            email: string;
            fhir_resource_type: "Patient";
            in_registry: boolean;
            is_su_admin: boolean;
            linked_records?: components["schemas"]["LinkedRecords"];
            must_change_password?: boolean;
            must_set_up_second_factor?: boolean;
            organisation_guid: string;
            patient_guid: string;
            proxy_for?: components["schemas"]["ProxyGrant"][];
            registries: string[];
            tenant?: string;
            user_guid: string;
            user_type: "patient";
        };
        PatientProxy: {
            accepted_at: string | null;
            created_at: string | null;
            delegate_guid: string | null;
            delegate_name: string | null;
            ended_at: string | null;
            ended_by: ("patient" | "delegate" | "administrator") | null;
            ends_at: string | null;
            kind: "proxy" | "guardian";
            may: "read" | "act";
            named: string | null;
            patient_guid: string | null;
            patient_name: string | null;
            proxy_guid: string;
            status: "invited" | "active" | "ended";
        };
        ProfessionalAccess: {
            effective_phases: string[];
            email: string;
            fhir_resource_type: "Practitioner";
            groups: components["schemas"]["AccessMembership"][];
            is_privacy_officer?: boolean;
            is_su_admin: boolean;
            must_change_password?: boolean;
            must_set_up_second_factor?: boolean;
            name?: string;
            organization_ids: string[];
            professional_guid: string;
            professional_role: "doctor" | "nurse" | "other";
            provider_staff?: components["schemas"]["ProviderStaff"][];
            tenant?: string;
            user_guid: string;
            user_type: "professional";
        };
        ProviderStaff: {
            organisation_guid: string;
            provider_guid: string;
        };
        ProxyGrant: {
            linked_records?: components["schemas"]["LinkedRecords"];
            may: "read" | "act";
            patient_guid: string;
        };
        ProxyInvitation: {
            /** Format: email */
            email?: string;
            may: "read" | "act";
            personnummer?: string;
            /** Format: date */
            until: string;
        };
        ProxyLists: {
            given: components["schemas"]["PatientProxy"][];
            received: components["schemas"]["PatientProxy"][];
        };
        QueueFigures: {
            dead: number;
            oldest_s: number;
            waiting: number;
        };
        RegisteredService: {
            api_health_url: string;
            capability_statement_url: string;
            endpoints_url: string;
            notes: string;
            privilege_level: string;
            service_name: string;
            service_url: string;
        };
        RegistryStatus: {
            in_registry: boolean;
            organisation_guid: string;
            patient_guid: string;
            personnummer: string;
            registries: string[];
            resourceType: "Patient";
            user_guid: string;
        };
        RequestFigures: {
            errors: number;
            routes: components["schemas"]["RouteFigures"][];
            total: number;
        };
        ResetCode: {
            code: string;
            expires_at: string;
            message: string;
            user_guid: string;
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
        SecondFactorSetup: {
            expires_at: string;
            otpauth_uri: string;
            secret: string;
        };
        SecondFactorState: {
            enabled: boolean;
            enabled_at?: string;
            recovery_codes_left?: number;
            required: boolean;
        };
        ServiceStatus: {
            database: { latency_ms: number; };
            mails: components["schemas"]["QueueFigures"];
            requests: components["schemas"]["RequestFigures"];
            /** Format: date-time */
            started_at: string;
            version: string;
        };
        Session: {
            address: string | null;
            client_id: string | null;
            client_name: string | null;
            clients: {
                client_id: string | null;
                client_name: string | null;
                destination: string | null;
                tenant?: string;
            }[];
            created_at: string;
            current: boolean;
            expires_at: string;
            idle_ends_at: string | null;
            last_used_at: string | null;
            session_guid: string;
            tenants?: string[];
            user_agent: string | null;
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
        User: {
            blocked_at?: string;
            created_at: string;
            email: string | null;
            first_name: string | null;
            is_su_admin: boolean;
            last_login_at: string | null;
            last_name: string | null;
            merged_into?: string;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient?: components["schemas"]["ListedPatient"];
            professional?: components["schemas"]["ListedProfessional"];
            user_guid: string;
            user_type: "professional" | "patient";
        };
        UserChange: {
            /** Format: email */
            email?: string;
            first_name?: string;
            is_privacy_officer?: boolean;
            last_name?: string;
            organisation_guids?: string[];
            phases?: string[];
            professional_role?: "doctor" | "nurse" | "other";
        };
        UserChanged: {
            message: string;
            user_guid: string;
        };
        UserDeletion: {
            decisions: number;
            email: string | null;
            led_groups: string[];
            linked_records: number;
            memberships: number;
            merged_accounts: number;
            open_requests: number;
            proxies: number;
            sessions: number;
            user_guid: string;
        };
        UserDetails: {
            blocked_at?: string;
            created_at: string;
            email: string | null;
            first_name: string | null;
            is_su_admin: boolean;
            last_login_at: string | null;
            last_name: string | null;
            merged_accounts: {
                email: string | null;
                user_guid: string;
            }[];
            merged_into?: string;
            must_change_password: boolean;
            organisations: components["schemas"]["NamedOrganisation"][];
            patient?: components["schemas"]["ListedPatient"];
            professional?: components["schemas"]["ListedProfessional"];
            second_factor_since: string | null;
            sessions: components["schemas"]["Session"][];
            user_guid: string;
            user_type: "professional" | "patient";
        };
        UserPage: {
            data: components["schemas"]["User"][];
            page: number;
            per_page: number;
            total: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminAccessRequests: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AccessRequest"][]; }; }; };
    };
    postAdminAccessRequests: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": {
            access_request_guid: string;
            decision: "endorsed" | "approved" | "rejected";
            reason?: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            access_request_guid: string;
            status: "pending" | "endorsed" | "approved" | "rejected";
            user_guid?: string;
        }; }; }; };
    };
    postAdminAssignGroupAdmin: {
        parameters: {};
        requestBody: { content: { "application/json": {
            group_guid: string;
            user_guid: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            group_guid: string;
            is_admin: boolean;
            message: string;
            user_guid: string;
        }; }; }; };
    };
    getAdminAudit: {
        parameters: { query?: {
            cursor?: string;
            event?: string;
            outcome?: "success" | "failure";
            page?: number;
            per_page?: number;
            since?: string;
            until?: string;
            user_guid?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AuditEntry"][]; }; }; };
    };
    getAdminGroupProposals: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["GroupProposal"][]; }; }; };
    };
    postAdminGroupProposals: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": {
            decision: "approved" | "rejected";
            proposal_guid: string;
            reason?: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            group_guid?: string;
            proposal_guid: string;
            status: "pending" | "approved" | "rejected";
        }; }; }; };
    };
    deleteAdminGroupsByGroupGuid: {
        parameters: { path: { group_guid: string; }; };
        responses: { 200: { content: { "application/json": {
            group_guid: string;
            message: string;
        }; }; }; };
    };
    getAdminLeaderRequests: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["LeaderRequest"][]; }; }; };
    };
    postAdminLeaderRequests: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": {
            decision: "approved" | "rejected";
            leader_request_guid: string;
            reason?: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            group_guid: string;
            leader_request_guid: string;
            status: "pending" | "approved" | "rejected";
            user_guid: string;
        }; }; }; };
    };
    getAdminOathOverview: {
        parameters: {};
        responses: { 200: { content: {
            "application/json": components["schemas"]["RegisteredService"][];
            "text/csv": string;
        }; }; };
    };
    putAdminOathOverview: {
        parameters: { header?: { "if-match"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["RegisteredService"][]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["RegisteredService"][]; }; }; };
    };
    getAdminOrganisationSearch: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
            provider_guid?: string;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["CountedOrganisationPage"]; }; }; };
    };
    getAdminOrganisations: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Organisation"][]; }; }; };
    };
    postAdminOrganisations: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": { name: string; }; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["Organisation"]; }; }; };
    };
    putAdminOrganisationsProvider: {
        parameters: { path: { organisation_guid: string; }; };
        requestBody: { content: { "application/json": { provider_guid: string; }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Organisation"]; }; }; };
    };
    deleteAdminOrganisationsProvider: {
        parameters: { path: { organisation_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Organisation"]; }; }; };
    };
    postAdminPromoteSu: {
        parameters: {};
        requestBody: { content: { "application/json": {
            password: string;
            user_guid: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            is_su_admin: boolean;
            message: string;
            user_guid: string;
        }; }; }; };
    };
    getAdminSettings: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["Settings"]; }; }; };
    };
    getAdminStatus: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["ServiceStatus"]; }; }; };
    };
    getAdminUserSearch: {
        parameters: { query?: {
            group_guid?: string;
            organisation_guid?: string;
            page?: number;
            per_page?: number;
            search?: string;
            state?: "active" | "blocked" | "merged" | "su_admin";
            user_type?: "professional" | "patient";
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserPage"]; }; }; };
    };
    getAdminUsersByUserGuid: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserDetails"]; }; }; };
    };
    deleteAdminUsersByUserGuid: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    patchAdminUsersByUserGuid: {
        parameters: { path: { user_guid: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["UserChange"]; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    postAdminUsersBlock: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    getAdminUsersDeletion: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserDeletion"]; }; }; };
    };
    getAdminUsersMerge: {
        parameters: {
            query: { into_user_guid: string; };
            path: { user_guid: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["AccountMerge"]; }; }; };
    };
    postAdminUsersMerge: {
        parameters: { path: { user_guid: string; }; };
        requestBody: { content: { "application/json": { into_user_guid: string; }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AccountMerge"]; }; }; };
    };
    deleteAdminUsersMerge: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    postAdminUsersPasswordReset: {
        parameters: { path: { user_guid: string; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["ResetCode"]; }; }; };
    };
    deleteAdminUsersSecondFactor: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    deleteAdminUsersSessions: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": {
            message: string;
            revoked: number;
            user_guid: string;
        }; }; }; };
    };
    postAdminUsersUnblock: {
        parameters: { path: { user_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    getAuthAccount: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["OwnAccount"]; }; }; };
    };
    patchAuthAccount: {
        parameters: {};
        requestBody: { content: { "application/json": {
            first_name?: string;
            last_name?: string;
        }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OwnAccount"]; }; }; };
    };
    getAuthMe: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["ProfessionalAccess"] | components["schemas"]["PatientAccess"]; }; }; };
    };
    getAuthSecondFactor: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["SecondFactorState"]; }; }; };
    };
    postAuthSecondFactor: {
        parameters: {};
        requestBody: { content: { "application/json": {
            code?: string;
            current_password: string;
        }; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["SecondFactorSetup"]; }; }; };
    };
    getAuthSessions: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Session"][]; }; }; };
    };
    deleteAuthSessions: {
        parameters: {};
        responses: { 200: { content: { "application/json": {
            message: string;
            revoked: number;
        }; }; }; };
    };
    deleteAuthSessionsBySessionGuid: {
        parameters: { path: { session_guid: string; }; };
        responses: { 200: { content: { "application/json": {
            message: string;
            session_guid: string;
        }; }; }; };
    };
    getAuthSessionsCurrent: {
        parameters: {};
        responses: { 200: { content: { "application/json": {
            expires_at: string;
            idle_ends_at: string | null;
        }; }; }; };
    };
    postGroupsAdminDecide: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": {
            decision: "approved" | "rejected";
            membership_guid: string;
            reason?: string;
        }; }; };
        responses: { 200: { content: { "application/json": {
            decided_by: string;
            membership_guid: string;
            status: "pending" | "approved" | "rejected";
        }; }; }; };
    };
    getGroupsAdminDecisionQueue: {
        parameters: { query?: {
            kind?: "access_request" | "membership" | "leader_request" | "group_proposal";
            min_days?: number;
            order?: "oldest" | "newest";
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["OpenDecisionPage"]; }; }; };
    };
    getGroupsAdminGroups: {
        parameters: { query?: {
            group_type?: "phase" | "team" | "organisation" | "quality_registry";
            page?: number;
            per_page?: number;
            search?: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AdministeredGroupPage"]; }; }; };
    };
    getGroupsAdminGroupsByGroupGuid: {
        parameters: { path: { group_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["AdministeredGroup"]; }; }; };
    };
    getGroupsAdminGroupsInvites: {
        parameters: { path: { group_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["Invite"][]; }; }; };
    };
    deleteGroupsAdminGroupsInvitesByInviteGuid: {
        parameters: { path: {
            group_guid: string;
            invite_guid: string;
        }; };
        responses: { 200: { content: { "application/json": {
            invite_guid: string;
            message: string;
        }; }; }; };
    };
    getGroupsAdminGroupsMembers: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                search?: string;
                status?: "pending" | "approved" | "rejected";
            };
            path: { group_guid: string; };
        };
        responses: { 200: { content: { "application/json": components["schemas"]["GroupMemberPage"]; }; }; };
    };
    deleteGroupsAdminGroupsMembersByUserGuid: {
        parameters: { path: {
            group_guid: string;
            user_guid: string;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["UserChanged"]; }; }; };
    };
    postGroupsAdminInvite: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": {
            group_guid: string;
            /** @default 72 */
            hours_valid?: number;
            /** @default false */
            with_link?: boolean;
        }; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["NewInvite"]; }; }; };
    };
    postGroupsJoinByInvite: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": { token: string; }; }; };
        responses: { 201: { content: { "application/json": {
            group_guid: string;
            membership_guid: string;
            status: string;
        }; }; }; };
    };
    getPatientProxies: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["ProxyLists"]; }; }; };
    };
    postPatientProxies: {
        parameters: { header?: { "Idempotency-Key"?: string; }; };
        requestBody: { content: { "application/json": components["schemas"]["ProxyInvitation"]; }; };
        responses: { 201: { content: { "application/json": components["schemas"]["PatientProxy"]; }; }; };
    };
    deletePatientProxiesByProxyGuid: {
        parameters: { path: { proxy_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["PatientProxy"]; }; }; };
    };
    postPatientProxiesAccept: {
        parameters: { path: { proxy_guid: string; }; };
        responses: { 200: { content: { "application/json": components["schemas"]["PatientProxy"]; }; }; };
    };
    getPatientRegistryStatus: {
        parameters: {};
        responses: { 200: { content: { "application/json": components["schemas"]["RegistryStatus"]; }; }; };
    };
    postPatientsLookup: {
        parameters: {};
        requestBody: { content: { "application/json": { personnummer: string; }; }; };
        responses: { 200: { content: { "application/json": {
            is_registered: boolean;
            patient_guid: string;
            records: {
                id: string;
                service: "engine" | "dispatch";
            }[];
        }; }; }; };
    };
    getPublicOrganisations: {
        parameters: { query?: {
            page?: number;
            per_page?: number;
        }; };
        responses: { 200: { content: { "application/json": components["schemas"]["NamedOrganisation"][]; }; }; };
    };
}
