// SPDX-License-Identifier: Apache-2.0
// Holds every kernel of the ladder to a product in double precision over sizes that are multiples
// of nothing, and with --time measures them against cublasSgemm, launch by launch in turn, as CSV.
//   nvcc -O3 -std=c++17 -arch=sm_90 lab/gemm/against_cublas.cu -o against_cublas
//   ./against_cublas [--time]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "cublas_peer.cuh"
#include "reference.cuh"
#include "rungs.cuh"

namespace {

constexpr int kRepeats = 21;
constexpr int kSlack = 64;

void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "against_cublas: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

__host__ __device__ float random_element(std::uint64_t index) {
    std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<float>(static_cast<double>(x >> 40) / (1 << 23) - 1.0);
}

__global__ void randomise(float* data, size_t count, std::uint64_t seed) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        data[i] = random_element(seed + i);
    }
}

/// Device memory of floats.
class Matrix {
public:
    explicit Matrix(size_t count) : count_(count) {
        require(cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(float)), "cudaMalloc");
    }
    ~Matrix() { cudaFree(data_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;

    float* data() const { return data_; }
    void poison() const {
        require(cudaMemset(data_, static_cast<int>(gemm::kPoison), count_ * sizeof(float)),
                "cudaMemset");
    }
    std::vector<float> download() const {
        std::vector<float> values(count_);
        require(cudaMemcpy(values.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
        return values;
    }

private:
    size_t count_;
    float* data_ = nullptr;
};

struct Size {
    int m, n, k;
};

/// Every remainder matters: of 4 (wide rows), of a tile's rows, columns and steps, one less than a
/// tile and one more, matrices of one row, one column, one step or none, more tiles than a band.
constexpr Size kSizes[] = {{1, 1, 1},      {7, 5, 3},     {128, 128, 16}, {127, 129, 17},
                           {129, 127, 15}, {64, 4, 32},   {1, 300, 100},  {300, 1, 100},
                           {33, 36, 0},    {130, 132, 1}, {131, 140, 31}, {257, 130, 33},
                           {1200, 70, 20}, {100, 516, 65}};

int failures = 0;

void report(const char* name, Size size, const std::string& wrong) {
    if (wrong.empty()) return;
    ++failures;
    std::printf("WRONG %s m=%d n=%d k=%d: %s\n", name, size.m, size.n, size.k, wrong.c_str());
}

void check_size(Size size) {
    const auto [m, n, k] = size;
    const size_t elements = static_cast<size_t>(m) * n;
    std::vector<float> a(static_cast<size_t>(m) * k), b(static_cast<size_t>(k) * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = random_element(i);
    for (size_t i = 0; i < b.size(); ++i) b[i] = random_element(1u << 24 | i);
    std::vector<double> expected(elements);
    for (size_t i = 0; i < elements; ++i) {
        expected[i] = gemm::reference_element(a.data(), b.data(), n, k, i);
    }
    const Matrix device_a(a.size()), device_b(b.size()), device_c(elements + kSlack);
    require(cudaMemcpy(device_a.data(), a.data(), a.size() * sizeof(float), cudaMemcpyDefault),
            "cudaMemcpy");
    require(cudaMemcpy(device_b.data(), b.data(), b.size() * sizeof(float), cudaMemcpyDefault),
            "cudaMemcpy");
    for (const gemm::Rung& rung : gemm::kRungs) {
        device_c.poison();
        rung.launch({device_a.data(), device_b.data(), device_c.data(), m, n, k}, nullptr);
        require(cudaGetLastError(), rung.name);
        require(cudaDeviceSynchronize(), rung.name);
        report(rung.name, size, gemm::wrong_result(device_c.download(), expected, n, k));
    }
}

/// C of a row in `every`, by a reference in double precision on the device.
__global__ void reference_rows(gemm::MatrixProduct product, int every, double* expected) {
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= product.n) return;
    const size_t row = static_cast<size_t>(blockIdx.y) * every;
    expected[static_cast<size_t>(blockIdx.y) * product.n + column] = gemm::reference_element(
        product.a, product.b, product.n, product.k, row * product.n + column);
}

/// The rows of C that reference_rows computes.
std::vector<float> sample(const Matrix& c, int rows, int n, int every) {
    std::vector<float> found(static_cast<size_t>(rows) * n);
    require(cudaMemcpy2D(found.data(), n * sizeof(float), c.data(),
                         static_cast<size_t>(every) * n * sizeof(float), n * sizeof(float), rows,
                         cudaMemcpyDeviceToHost),
            "cudaMemcpy2D");
    return found;
}

struct Contender {
    std::string name;
    std::function<void(const gemm::MatrixProduct&)> launch;
    std::vector<float> milliseconds;
};

/// Random products of one size by all contenders in turn, 21 times after one to warm up.
void time_size(Size size, std::vector<Contender>& contenders) {
    const auto [m, n, k] = size;
    const Matrix a(static_cast<size_t>(m) * k), b(static_cast<size_t>(k) * n);
    const Matrix c(static_cast<size_t>(m) * n);
    randomise<<<1024, 256>>>(a.data(), static_cast<size_t>(m) * k, 1);
    randomise<<<1024, 256>>>(b.data(), static_cast<size_t>(k) * n, std::uint64_t{1} << 40);
    const gemm::MatrixProduct product{a.data(), b.data(), c.data(), m, n, k};

    constexpr int kEvery = 61;
    const int rows = gemm::ceil_divide(m, kEvery);
    const Matrix device_expected(2 * static_cast<size_t>(rows) * n);
    double* const expected_data = reinterpret_cast<double*>(device_expected.data());
    reference_rows<<<dim3(gemm::ceil_divide(n, 128), rows), 128>>>(product, kEvery, expected_data);
    std::vector<double> expected(static_cast<size_t>(rows) * n);
    require(cudaMemcpy(expected.data(), expected_data, expected.size() * sizeof(double),
                       cudaMemcpyDeviceToHost),
            "the reference");

    cudaEvent_t start = nullptr, stop = nullptr;
    require(cudaEventCreate(&start), "cudaEventCreate");
    require(cudaEventCreate(&stop), "cudaEventCreate");
    for (Contender& contender : contenders) contender.milliseconds.clear();
    for (int repeat = -1; repeat < kRepeats; ++repeat) {
        for (Contender& contender : contenders) {
            if (repeat < 0) c.poison();
            require(cudaEventRecord(start), "cudaEventRecord");
            contender.launch(product);
            require(cudaEventRecord(stop), "cudaEventRecord");
            require(cudaEventSynchronize(stop), contender.name.c_str());
            float milliseconds = 0.0f;
            require(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
            if (repeat >= 0) contender.milliseconds.push_back(milliseconds);
            if (repeat < 0) {
                report(contender.name.c_str(), size,
                       gemm::wrong_result(sample(c, rows, n, kEvery), expected, n, k));
            }
        }
    }
    require(cudaEventDestroy(start), "cudaEventDestroy");
    require(cudaEventDestroy(stop), "cudaEventDestroy");
}

void print_times(Size size, std::vector<Contender>& contenders) {
    double peer = 0.0;
    for (Contender& contender : contenders) {
        std::sort(contender.milliseconds.begin(), contender.milliseconds.end());
        const double median = contender.milliseconds[kRepeats / 2];
        if (contender.name == "cublas") peer = median;
        const double tflops = 2.0 * size.m * size.n * size.k / median / 1e9;
        std::printf("%d,%d,%d,%s,%d,%.1f,%.1f,%.1f,%.2f,", size.m, size.n, size.k,
                    contender.name.c_str(), kRepeats, median * 1000,
                    contender.milliseconds.front() * 1000.0, contender.milliseconds.back() * 1000.0,
                    tflops);
        if (peer > 0.0) std::printf("%.4f", peer / median);
        std::printf("\n");
    }
}

void time_all() {
    cudaDeviceProp device{};
    require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    int runtime = 0;
    require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    std::printf("# gpu: %s\n# cuda: %d.%d\n", device.name, runtime / 1000, runtime % 1000 / 10);
    std::printf("# command: against_cublas --time\n");
    std::printf(
        "# Times of one launch by events, contenders in turn; of_cublas: its median time "
        "over this one's.\n");
    std::printf("m,n,k,kernel,repeats,median_us,lowest_us,highest_us,tflops,of_cublas\n");
    const gemm::CublasPeer cublas;
    std::vector<Contender> contenders;
    if (cublas.found()) {
        contenders.push_back({"cublas",
                              [&](const gemm::MatrixProduct& product) {
                                  if (!cublas.launch(product, nullptr)) std::abort();
                              },
                              {}});
    }
    for (const gemm::Rung& rung : gemm::kRungs) {
        contenders.push_back({rung.name,
                              [&](const gemm::MatrixProduct& product) {
                                  rung.launch(product, nullptr);
                                  require(cudaGetLastError(), rung.name);
                              },
                              {}});
    }
    for (const Size size : {Size{1024, 1024, 1024}, Size{2048, 2048, 2048}, Size{4096, 4096, 4096},
                            Size{4095, 4097, 4099}, Size{8192, 8192, 8192}}) {
        time_size(size, contenders);
        print_times(size, contenders);
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (const Size size : kSizes) check_size(size);
    std::fprintf(stderr, failures == 0 ? "All products are right.\n" : "Products are wrong!\n");
    if (argc > 1 && std::string_view(argv[1]) == "--time") time_all();
    return failures == 0 ? 0 : 1;
}
