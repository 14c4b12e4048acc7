// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_rectangle_dispatch.cuh>

#include <cstdlib>

#include "sectors.cuh"

/// What the transpose of a rectangle in place moves, in the passes that
/// device/kernel/transpose_rectangle_kernel.cuh describes: each reads and writes every element of
/// its lines once, in the same requests.
namespace counts {

/// Of a rectangle whose lines fit shared memory, as its passes see it: no more rows than columns.
template <class Unit, int Units>
class RectanglePasses {
    using Element = wideload::detail::PackedElement<Unit, Units>;

public:
    RectanglePasses(std::size_t rows, std::size_t columns)
        : work_{nullptr,
                std::min(rows, columns),
                std::max(rows, columns),
                rows > columns,
                on_chip_elements(),
                nullptr,
                0,
                nullptr} {
        if (work_.needs_scratch()) std::abort();  // the formula is not for such
    }

    /// Sectors that all passes read, and that they write.
    std::size_t sectors() const {
        const std::size_t common = work_.common();
        // The first columns of the rotation stay where they are.
        return rows() + columns(0) + (common == 1 ? 0 : columns(work_.columns / common));
    }

private:
    static std::size_t on_chip_elements() {
        wideload::detail::DeviceProperties device{};
        if (wideload::detail::current_device_properties(&device) != cudaSuccess) std::abort();
        constexpr std::size_t kSpread = wideload::detail::kSpreadElements * sizeof(Element);
        return static_cast<std::size_t>(device.shared_bytes) / kSpread *
               wideload::detail::kSpreadElements;
    }
    /// Of lanes at these elements, whose units go by requests of their own.
    static std::size_t of_elements(const std::vector<std::size_t>& elements) {
        std::size_t sum = 0;
        for (std::size_t unit = 0; unit < Units; ++unit)
            sum += sectors_of_lanes(elements, sizeof(Element), sizeof(Unit), unit * sizeof(Unit));
        return sum;
    }
    /// Whole warps along each row.
    std::size_t rows() const {
        std::size_t sum = 0;
        for (std::size_t row = 0; row < work_.rows; ++row) {
            std::vector<std::size_t> elements;
            for (std::size_t c = 0; c < work_.columns; ++c)
                elements.push_back(row * work_.columns + c);
            sum += of_elements(elements);
        }
        return sum;
    }
    /// Panels of neighbouring columns, from that which column `first` is in: a warp's lanes along
    /// a panel's row and those below it.
    std::size_t columns(std::size_t first) const {
        const std::size_t panel = work_.panel_columns(), along = std::min(panel, kLanes);
        if (work_.columns % along != 0) std::abort();  // lanes without a column
        std::size_t sum = 0;
        for (std::size_t begin = first / panel * panel; begin < work_.columns; begin += along) {
            std::vector<std::size_t> elements;
            for (std::size_t row = 0; row < work_.rows; ++row) {
                for (std::size_t c = begin; c < begin + along; ++c)
                    elements.push_back(row * work_.columns + c);
            }
            sum += of_elements(elements);
        }
        return sum;
    }

    wideload::detail::RectangleWork<Element> work_;
};

}  // namespace counts
